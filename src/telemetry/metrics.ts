import { Counter, Gauge, Histogram, type OpenMetricsContentType, Registry } from 'prom-client';
import { DELIVERY_KINDS, type DeliveryKind } from '#domain/notification/delivery.ts';
import { counterIn, createTurnMetrics, type Registers } from './turn-metrics.ts';

export type Metrics = ReturnType<typeof createMetrics>;

/** The state at the moment of a scrape. Turns, threads and replicas are counted in the database, for all replicas. */
export type ServiceState = {
  readonly replicas: number;
  readonly queued: number;
  readonly running: number;
  readonly waiting: number;
  readonly oldestSeconds: number;
  readonly placeSeconds: number;
  readonly endedLastHour: Readonly<Record<string, number>>;
  readonly deliveries: {
    readonly open: number;
    readonly oldestSeconds: number;
    readonly dead: readonly { readonly kind: DeliveryKind; readonly all: number; readonly lastDay: number }[];
  };
  /** Of this cell, while it has not ended. */
  readonly drain: { readonly left: number; readonly idleSeconds: number } | undefined;
  readonly sockets: number;
  readonly streams: number;
};

const LOOP_SAMPLE_MS = 200;
const SHORT_SECONDS = [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];

/** Statuses of requests that the service refuses to work on. Other mistakes of callers are not a sign of trouble. */
const REJECTIONS: Readonly<Record<number, string>> = {
  401: 'unauthenticated',
  403: 'forbidden',
  409: 'conflict',
  413: 'too_large',
  429: 'rate_limited',
  503: 'unavailable',
};

/** The metrics of this process, for Prometheus. */
export function createMetrics() {
  const registry = new Registry<OpenMetricsContentType>();
  registry.setContentType(Registry.OPENMETRICS_CONTENT_TYPE);
  const registers = [registry];
  const setState = createStateGauges(registers);
  const counter = counterIn(registers);
  const answers = counter('reborn_http_responses_total', 'Answers to HTTP requests.', ['server', 'status']);
  const rejected = counter('reborn_requests_rejected_total', 'HTTP requests that were refused.', ['server', 'reason']);
  const takenOver = counter('reborn_turn_takeovers_total', 'Turns that this replica took from dead replicas.');
  const rounds = counter('reborn_background_rounds_total', 'Completed rounds of background tasks.', ['task']);
  const attempts = counter('reborn_delivery_attempts_total', 'Attempts to deliver something.', ['kind', 'outcome']);
  const deliveryTime = new Histogram({
    name: 'reborn_delivery_seconds',
    help: 'Time from an event to its delivery.',
    labelNames: ['kind'],
    buckets: [0.25, 0.5, 1, 2, 5, 15, 60, 600, 3600, 86_400],
    registers,
  });
  const poolWait = new Histogram({
    name: 'reborn_pool_wait_seconds',
    help: 'Time that a query waited for a database connection.',
    labelNames: ['pool'],
    buckets: SHORT_SECONDS,
    registers,
  });
  const approvals = counter('reborn_approvals_total', 'Answers to calls that needed an approval.', [
    'reason',
    'situation',
    'answer',
  ]);
  // Prometheus sees the first increase of a series only if the series has existed before.
  for (const server of ['gateway', 'webhook'])
    for (const reason of Object.values(REJECTIONS)) rejected.inc({ server, reason }, 0);
  const stopSampling = sampleEventLoop(registers);

  return {
    turns: createTurnMetrics(registers),
    answered(server: 'gateway' | 'webhook', status: number): void {
      answers.inc({ server, status });
      const reason = REJECTIONS[status];
      if (reason) rejected.inc({ server, reason });
    },
    takenOver: (turns: number): void => takenOver.inc(turns),
    /** `reason` is unknown at gates of older versions. */
    approved: ({ reason = 'unknown', situation }: { reason?: string; situation: string }, answer: string): void =>
      approvals.inc({ reason, situation, answer }),
    finishedRound: (task: string): void => rounds.inc({ task }),
    /** An attempt at a delivery has ended. */
    delivered(delivery: { kind: string; createdAt: Date }, { outcome }: { outcome: string }): void {
      const { kind, createdAt } = delivery;
      attempts.inc({ kind, outcome });
      if (outcome === 'sent') deliveryTime.observe({ kind }, Math.max(0, Date.now() - createdAt.getTime()) / 1000);
    },
    /** Returns the observer of one pool. */
    waitsOf(pool: 'store' | 'engine' | 'identities'): (seconds: number) => void {
      const labels = { pool };
      return (seconds) => poolWait.observe(labels, seconds);
    },
    /** In the format OpenMetrics, which has exemplars, or in the older text format of Prometheus. */
    async render(state: ServiceState, isOpen: boolean): Promise<{ text: string; contentType: string }> {
      setState(state);
      const text = await registry.metrics();
      return isOpen
        ? { text, contentType: registry.contentType }
        : { text: toPlainFormat(text), contentType: Registry.PROMETHEUS_CONTENT_TYPE };
    },
    stop: stopSampling,
  };
}

/**
 * Only OpenMetrics is rendered: rendering it removes `_total` from the counters of a registry, so that the other format would
 * show other names afterwards.
 */
function toPlainFormat(text: string): string {
  return text
    .replace(/^# HELP (\S+) (.*)\n# TYPE \1 counter$/gm, '# HELP $1_total $2\n# TYPE $1_total counter')
    .replace(/ # \{[^}\n]*\} \S+ \S+$/gm, '')
    .replace(/# EOF\n$/, '');
}

/** A timer that fires late was kept waiting by the event loop. */
function sampleEventLoop(registers: Registers): () => void {
  const delay = new Histogram({
    name: 'reborn_event_loop_delay_seconds',
    help: 'How late timers fire, sampled five times a second.',
    buckets: SHORT_SECONDS,
    registers,
  });
  let expected = performance.now() + LOOP_SAMPLE_MS;
  const timer = setInterval(() => {
    const now = performance.now();
    delay.observe(Math.max(0, now - expected) / 1000);
    expected = now + LOOP_SAMPLE_MS;
  }, LOOP_SAMPLE_MS).unref();
  return () => clearInterval(timer);
}

function createStateGauges(registers: Registers): (state: ServiceState) => void {
  const gauge = <Label extends string>(name: string, help: string, labelNames: Label[] = []) =>
    new Gauge({ name, help, labelNames, registers });
  const replicas = gauge('reborn_replicas', 'Replicas that are alive.');
  const queued = gauge('reborn_turns_queued', 'Turns that wait to be run.');
  const running = gauge('reborn_turns_running', 'Turns that run.');
  const waiting = gauge('reborn_threads_waiting', 'Threads that wait at a gate.');
  const oldest = gauge('reborn_queue_oldest_seconds', 'How long the oldest queued turn has waited.');
  const place = gauge(
    'reborn_place_wait_oldest_seconds',
    'How long ago the oldest turn that waits for a place on a replica was accepted.',
  );
  const ended = gauge('reborn_turns_ended_last_hour', 'Turns that ended in the last hour.', ['status']);
  const open = gauge('reborn_deliveries_open', 'Deliveries that are not made yet.');
  const dead = gauge('reborn_deliveries_dead', 'Deliveries that were given up, as long as they are kept.', ['kind']);
  const deadLastDay = gauge('reborn_deliveries_dead_last_day', 'Deliveries that were given up in the last day.', [
    'kind',
  ]);
  const overdue = gauge('reborn_deliveries_oldest_seconds', 'How long the oldest due delivery has waited.');
  const drainLeft = gauge('reborn_drain_users_left', 'Users who are still to be moved to other cells.');
  const drainIdle = gauge(
    'reborn_drain_idle_seconds',
    'Time since an unfinished drain of the cell has handled a user.',
  );
  const sockets = gauge('reborn_websockets', 'Open WebSockets.');
  const streams = gauge('reborn_streams', 'Open event streams of responses.');
  const memory = gauge('process_resident_memory_bytes', 'Memory of the process.');
  const heap = gauge('nodejs_heap_size_used_bytes', 'Memory that JavaScript uses.');
  const heapTotal = gauge('nodejs_heap_size_total_bytes', 'Memory that is reserved for JavaScript.');
  const external = gauge('nodejs_external_memory_bytes', 'Memory outside of the heap that JavaScript objects own.');
  const uptime = gauge('process_uptime_seconds', 'Time since the process started.');
  const cpu = new Counter({ name: 'process_cpu_seconds_total', help: 'CPU time of the process.', registers });

  return (state) => {
    replicas.set(state.replicas);
    queued.set(state.queued);
    running.set(state.running);
    waiting.set(state.waiting);
    oldest.set(state.oldestSeconds);
    place.set(state.placeSeconds);
    ended.reset();
    for (const [status, count] of Object.entries(state.endedLastHour)) ended.set({ status }, count);
    open.set(state.deliveries.open);
    for (const kind of DELIVERY_KINDS) {
      const counted = state.deliveries.dead.find((each) => each.kind === kind);
      dead.set({ kind }, counted?.all ?? 0);
      deadLastDay.set({ kind }, counted?.lastDay ?? 0);
    }
    overdue.set(state.deliveries.oldestSeconds);
    drainLeft.set(state.drain?.left ?? 0);
    drainIdle.set(state.drain?.idleSeconds ?? 0);
    sockets.set(state.sockets);
    streams.set(state.streams);
    const used = process.memoryUsage();
    memory.set(used.rss);
    heap.set(used.heapUsed);
    heapTotal.set(used.heapTotal);
    external.set(used.external);
    uptime.set(process.uptime());
    const { user, system } = process.cpuUsage();
    cpu.reset();
    cpu.inc((user + system) / 1e6);
  };
}
