import { z } from 'zod';
import type { Operations } from '#agent/administration/operations.ts';
import { defineRoute } from '#http/routes/define-route.ts';

/** The open connections of this process. */
type Connections = { readonly sockets: ReadonlySet<unknown>; readonly streams: ReadonlySet<unknown> };

type Services = { readonly operations: Operations; readonly connections: Connections };

/** The state of queue and replicas covers all replicas, everything else this process. */
export const metricsRoute = defineRoute({
  method: 'get',
  path: '/metrics',
  summary: 'Get metrics for Prometheus.',
  access: 'operator',
  responses: {
    200: { description: 'The text format of Prometheus, or OpenMetrics if `Accept` names it.', text: z.string() },
  },
  async handle({ principal, request, reply }, { operations, connections: { sockets, streams } }: Services) {
    const isOpen = request.headers.accept?.includes('application/openmetrics-text') ?? false;
    const open = { sockets: sockets.size, streams: streams.size };
    const { text, contentType } = await operations.renderMetrics(principal, open, isOpen);
    return reply.type(contentType).send(text);
  },
});
