import type { FastifyInstance } from 'fastify';
import type { z } from 'zod';
import type { Agent } from '#agent/agent.ts';
import type { Threads } from '#agent/threads.ts';
import type { serviceStatus } from './wire-status.ts';

/** What stays the same while the service runs. */
export type StatusFacts = {
  readonly version: string;
  readonly startedAt: Date;
  readonly model: { readonly provider: string; readonly name: string };
  readonly channels: { readonly terminal: boolean; readonly gateway: boolean; readonly webhook: boolean };
  readonly database: { readonly kind: 'embedded' | 'external'; readonly version: string };
  readonly tools: () => Promise<number>;
};

/** `GET /api/status`: what this service is, and how busy it is. A member learns how many threads they have themselves. */
export function statusRoute(agent: Agent, threads: Threads, facts: StatusFacts) {
  return async (app: FastifyInstance): Promise<void> => {
    app.get('/status', async ({ principal }): Promise<z.infer<typeof serviceStatus>> => {
      const { replicas, queued, running, threads: all } = await agent.census();
      const { version, channels, database, model } = facts;
      return {
        status: 'ok',
        version,
        uptime_seconds: Math.floor((Date.now() - facts.startedAt.getTime()) / 1000),
        model: { ...model, demo: model.provider === 'demo' },
        channels,
        database,
        replicas,
        queue: { queued, running },
        tools: await facts.tools(),
        threads: principal.role === 'operator' ? all : await threads.count(principal),
      };
    });
  };
}
