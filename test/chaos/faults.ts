import { setTimeout as sleep } from 'node:timers/promises';
import type { Cluster, Replica } from '../faults/cluster.ts';
import {
  cancelStatements,
  endHarms,
  exhaustConnections,
  loseEventLog,
  makeReadOnly,
  refuseWrites,
  resetListeners,
} from '../faults/harms.ts';
import type { startPair } from '../faults/postgres-pair.ts';
import { STATEMENTS } from '../faults/statements.ts';
import type { Proxy } from '../faults/tcp-proxy.ts';
import type { createMoodyModel } from './lying-model.ts';
import type { FaultName, Planned } from './schedule.ts';

/** A place for a replica: it keeps its connection to PostgreSQL when the process is replaced. */
export type Slot = {
  readonly line: Proxy;
  replica: Replica;
  /** Starts the next process here. */
  start(): Promise<void>;
};

export type Stage = {
  readonly cluster: Cluster;
  readonly slots: readonly Slot[];
  readonly model: ReturnType<typeof createMoodyModel>;
  readonly pair: Awaited<ReturnType<typeof startPair>> | undefined;
};

type Act = (stage: Stage, slot: Slot, planned: Planned) => Promise<void>;

/** Each one causes its fault, waits, and repairs it. */
const ACTS: Record<FaultName, Act> = {
  kill: async (_, slot) => {
    await slot.replica.kill();
    await slot.start();
  },
  terminate: async (_, slot) => {
    await slot.replica.kill('SIGTERM');
    await slot.start();
  },
  pause: async (_, { replica }, { ms }) => {
    replica.send('SIGSTOP');
    await sleep(ms);
    replica.send('SIGCONT');
  },
  reset: async (_, { line }) => line.cut(),
  'half-open': async (_, { line }, { ms }) => {
    line.freeze();
    await sleep(ms);
    line.thaw();
  },
  refuse: async (_, { line }, { ms }) => {
    line.break();
    await sleep(ms);
    line.repair();
  },
  latency: async (_, { line }, { ms, form }) => {
    line.slow({ latencyMs: 10 + 200 * form, lossRate: 0 });
    await sleep(ms);
    line.slow(undefined);
  },
  loss: async (_, { line }, { ms, form }) => {
    line.slow({ latencyMs: 1, lossRate: 0.02 + 0.2 * form });
    await sleep(ms);
    line.slow(undefined);
  },
  'freeze-at-statement': async (_, { line }, { ms, form }) => {
    const words = STATEMENTS[statementFor(form)];
    await Promise.race([line.freezeAt(words, form < 0.5 ? 'before' : 'after'), sleep(ms)]);
    line.disarm(); // if the statement did not come, it must not freeze the line later
    await sleep(ms);
    line.thaw();
  },
  'lose-answer': async (_, { line }, { ms, form }) => {
    await Promise.race([line.loseAnswerTo(STATEMENTS[statementFor(form)]), sleep(ms)]);
    line.disarm();
  },
  'reset-listeners': ({ cluster }) => resetListeners(cluster),
  'cancel-statements': ({ cluster }, _, { ms }) => cancelStatements(cluster, Math.min(ms, 1000)),
  'disk-full': ({ cluster }, _, { ms }) => refuseWrites(cluster, '53100', ms),
  'read-only': ({ cluster }, _, { ms }) => makeReadOnly(cluster, ms),
  'few-connections': ({ cluster }, _, { ms }) => exhaustConnections(cluster, ms),
  'lose-events': ({ cluster }) => loseEventLog(cluster),
  failover: async ({ cluster, slots, pair }) => {
    if (!pair) return;
    const lines = [cluster.proxy, ...slots.map(({ line }) => line)];
    for (const line of lines) line.break();
    await pair.catchUp(); // an acknowledged commit is on the standby, as with synchronous replication
    await pair.failOver();
    for (const line of lines) line.repair(pair.standby);
  },
  'slow-model': inMood('slow-model'),
  'failing-model': inMood('failing-model'),
  'cutting-model': inMood('cutting-model'),
  'lying-model': inMood('lying-model'),
};

export async function causeFault(stage: Stage, planned: Planned): Promise<void> {
  const slot = stage.slots[planned.slot];
  if (slot) await ACTS[planned.fault](stage, slot, planned);
}

/** Ends everything that a fault may have left. */
export async function repairAll({ cluster, slots, model }: Stage): Promise<void> {
  model.set('honest');
  for (const { line, replica } of slots) {
    line.disarm();
    line.slow(undefined);
    line.thaw();
    replica.send('SIGCONT');
  }
  await endHarms(cluster);
}

function inMood(mood: Parameters<ReturnType<typeof createMoodyModel>['set']>[0]): Act {
  return async ({ model }, _, { ms }) => {
    model.set(mood);
    await sleep(ms);
    model.set('honest');
  };
}

const statements = Object.keys(STATEMENTS) as (keyof typeof STATEMENTS)[];
const statementFor = (form: number) => statements[Math.floor(form * statements.length)] ?? 'append';
