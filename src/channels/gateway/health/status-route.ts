import { z } from 'zod';
import type { DrainState, Operations } from '#agent/administration/operations.ts';
import type { Agent } from '#agent/agent.ts';
import type { Threads } from '#agent/threads/threads.ts';
import { isOperator } from '#domain/principal.ts';
import { defineRoute } from '#http/routes/define-route.ts';

/** What stays the same while the service runs. */
export type StatusFacts = {
  readonly version: string;
  readonly startedAt: Date;
  readonly model: () => Promise<{ readonly provider: string; readonly name: string }>;
  readonly channels: { readonly terminal: boolean; readonly gateway: boolean; readonly webhook: boolean };
  readonly database: { readonly kind: 'embedded' | 'external'; readonly version: string };
  readonly tools: () => Promise<number>;
  readonly code: () => Promise<string>;
  readonly indexBuilds: () => Promise<readonly z.infer<typeof indexBuild>[]>;
};

const count = z.int().min(0);

const indexBuild = z
  .strictObject({
    name: z.string(),
    table: z.string(),
    phase: z.string().nullable().describe('What PostgreSQL does; null while no replica builds it.'),
    percent: z.int().min(0).max(100).nullable().describe('How much of the phase is done.'),
  })
  .meta({ id: 'IndexBuild' });

const serviceStatus = z
  .strictObject({
    status: z.literal('ok'),
    version: z.string(),
    uptime_seconds: count,
    model: z.strictObject({ provider: z.string(), name: z.string(), demo: z.boolean() }),
    channels: z.strictObject({ terminal: z.boolean(), gateway: z.boolean(), webhook: z.boolean() }),
    database: z.strictObject({ kind: z.enum(['embedded', 'external']), version: z.string() }),
    replicas: count,
    queue: z.strictObject({ queued: count, running: count }),
    tools: count,
    code: z.string().describe('Where code of the agent runs and what protects the machine from it, or why none runs.'),
    index_builds: z
      .array(indexBuild)
      .describe('The indexes that an upgrade has left to be built while the service works.'),
    threads: count.describe("The caller's threads; for operators, everyone's."),
    drain: z
      .strictObject({
        moved: count,
        stayed: count.describe('Users who could not be moved.'),
        left: count,
        per_minute: count.describe('The limit of the command.'),
        ended: z.boolean(),
        idle_seconds: count.describe('Since the last user was handled, or since the end.'),
      })
      .optional()
      .describe('How far this cell is drained, if it ever was; for operators.'),
  })
  .meta({ id: 'ServiceStatus' });

type Services = {
  readonly agent: Agent;
  readonly threads: Threads;
  readonly statusFacts: StatusFacts;
  readonly operations: Operations;
};

export const statusRoute = defineRoute({
  method: 'get',
  path: '/api/status',
  summary: 'Get the state of the service, and how busy it is.',
  responses: { 200: { description: 'The state of the service.', json: serviceStatus } },
  async handle({ principal }, { agent, threads, statusFacts, operations }: Services) {
    const { replicas, queued, running, threads: all } = await agent.census();
    const { version, channels, database } = statusFacts;
    const { provider, name } = await statusFacts.model();
    const drain = isOperator(principal) ? await operations.findDrain(principal) : undefined;
    return {
      status: 'ok' as const,
      version,
      uptime_seconds: Math.floor((Date.now() - statusFacts.startedAt.getTime()) / 1000),
      model: { provider, name, demo: provider === 'demo' },
      channels,
      database,
      replicas,
      queue: { queued, running },
      tools: await statusFacts.tools(),
      code: await statusFacts.code(),
      index_builds: [...(await statusFacts.indexBuilds())],
      threads: isOperator(principal) ? all : await threads.count(principal),
      ...(drain && { drain: renderDrain(drain) }),
    };
  },
});

const renderDrain = ({ moved, stayed, left, perMinute, isEnded, idleSeconds }: DrainState) => ({
  moved,
  stayed,
  left,
  per_minute: perMinute,
  ended: isEnded,
  idle_seconds: idleSeconds,
});
