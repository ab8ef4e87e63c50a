import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import type { Operations } from '#agent/administration/operations.ts';
import { defineRoute } from '#http/routes/define-route.ts';

/** What this process counts about its HTTP traffic. */
export type HttpCounts = {
  readonly byStatus: ReadonlyMap<number, number>;
  readonly sockets: ReadonlySet<unknown>;
  readonly streams: ReadonlySet<unknown>;
};

type Services = { readonly operations: Operations; readonly httpCounts: HttpCounts };

/** Turns are counted over all replicas, everything else in this process. */
export const metricsRoute = defineRoute({
  method: 'get',
  path: '/metrics',
  summary: 'Get metrics for Prometheus.',
  access: 'operator',
  responses: { 200: { description: 'The text format of Prometheus.', text: z.string() } },
  async handle({ principal, reply }, { operations, httpCounts: http }: Services) {
    const { replicas, turns, ended } = await operations.look(principal);
    const { heapUsed, rss } = process.memoryUsage();
    const cpu = process.cpuUsage();
    const families = [
      gauge('reborn_replicas', 'Replicas that are alive.', replicas.length),
      gauge('reborn_turns_queued', 'Turns that wait to be run.', turns.queued),
      gauge('reborn_turns_running', 'Turns that run.', turns.running),
      gauge('reborn_threads_waiting', 'Threads that wait at a gate.', turns.waiting),
      gauge('reborn_queue_oldest_seconds', 'How long the oldest queued turn has waited.', turns.oldestSeconds ?? 0),
      family(
        'reborn_turns_ended_last_hour',
        'gauge',
        'Turns that ended in the last hour.',
        'status',
        Object.entries(ended),
      ),
      gauge('reborn_websockets', 'Open WebSockets.', http.sockets.size),
      gauge('reborn_streams', 'Open event streams of responses.', http.streams.size),
      family('reborn_http_responses_total', 'counter', 'Answers to HTTP requests.', 'status', [...http.byStatus]),
      gauge('process_resident_memory_bytes', 'Memory of the process.', rss),
      gauge('nodejs_heap_size_used_bytes', 'Memory that JavaScript uses.', heapUsed),
      counter('process_cpu_seconds_total', 'Time on the processor.', (cpu.user + cpu.system) / 1e6),
      gauge('process_uptime_seconds', 'Since the process began.', process.uptime()),
    ];
    return reply.type('text/plain; version=0.0.4; charset=utf-8').send(`${families.join('\n')}\n`);
  },
});

/** Counts the responses of `app` by status, from now on. */
export function countAnswers(app: FastifyInstance): Map<number, number> {
  const byStatus = new Map<number, number>();
  app.addHook('onResponse', async (_request, { statusCode }) => {
    byStatus.set(statusCode, (byStatus.get(statusCode) ?? 0) + 1);
  });
  return byStatus;
}

const gauge = (name: string, help: string, value: number) => single(name, 'gauge', help, value);
const counter = (name: string, help: string, value: number) => single(name, 'counter', help, value);

const single = (name: string, type: string, help: string, value: number) =>
  `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${name} ${value}`;

function family(
  name: string,
  type: string,
  help: string,
  label: string,
  values: readonly (readonly [string | number, number])[],
): string {
  const lines = values.map(([key, value]) => `${name}{${label}="${key}"} ${value}`);
  return [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`, ...lines].join('\n');
}
