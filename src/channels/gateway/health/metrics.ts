import type { FastifyInstance } from 'fastify';
import type { Operations } from '#agent/administration/operations.ts';
import { operatorOnly } from '#http/caller/bearer.ts';

/** What a process counts about its own HTTP. */
export type HttpCounts = {
  readonly byStatus: ReadonlyMap<number, number>;
  readonly sockets: ReadonlySet<unknown>;
  readonly streams: ReadonlySet<unknown>;
};

/** `GET /metrics`, for the operator: the text format of Prometheus. Turns are those of all replicas, the rest this process's. */
export function metricsRoute(operations: Operations, http: HttpCounts) {
  return async (app: FastifyInstance): Promise<void> => {
    app.addHook('onRequest', operatorOnly);

    app.get('/metrics', async ({ principal }, reply) => {
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
    });
  };
}

/** Counts every answer of `app` from now on. */
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
