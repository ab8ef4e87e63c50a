import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { ENGINE_TIMES } from '#engine/engine-times.ts';
import { type Cluster, type Replica, startCluster } from '../faults/cluster.ts';
import { HarmRemains } from '../faults/harms.ts';
import { startLoad } from '../faults/load.ts';
import { hasPrograms, startPair } from '../faults/postgres-pair.ts';
import { query } from '../faults/query.ts';
import { waitFor } from '../support/wait-for.ts';
import { causeFault, repairAll, type Slot, type Stage } from './faults.ts';
import { startAnswering } from './gates.ts';
import { findLeaks, startWatchingPrompts } from './leaks.ts';
import { createMoodyModel } from './lying-model.ts';
import { FAULTS, type Planned, planFaults } from './schedule.ts';

export type Report = {
  readonly seed: number;
  readonly seconds: number;
  readonly turns: number;
  readonly streamed: number;
  readonly faults: readonly Caused[];
  /** How turns ended, by status or failure code. */
  readonly ends: Readonly<Record<string, number>>;
  /** How many attempts ended in an unexpected error. A turn with four of them fails as `internal_error`. */
  readonly broken: number;
  readonly samples: readonly Sample[];
  /** What must not happen. Empty after a good run. */
  readonly breaches: readonly string[];
};

/**
 * `left out`: another fault was still at work in the same place, or no other replica would have worked. `not ended`: the fault
 * continued, so that what came later says nothing about the service. `reason`: why it was not possible or not ended.
 */
export type Caused = Planned & {
  readonly outcome: 'done' | 'left out' | 'not possible' | 'not ended';
  readonly reason?: string;
};

export type Sample = {
  /** Seconds since the start. */
  readonly at: number;
  readonly accepted: number;
  /** The memory of the process in each slot, in MB; null while there is none. */
  readonly memory: readonly { readonly pid: number; readonly mb: number | null }[];
};

const SAMPLE_MS = 1000;
const STARTS = 20;
/** From here on a run has a standby, which takes seconds to make, and more load. */
const LONG_MS = 60_000;
/**
 * How a turn may end: as usual; because the model was at fault; because several of its processes died; at a gate, which a call
 * may need after the failure of another; or refused at once, while a gate was open.
 */
const EXPECTED = [
  'completed',
  'incomplete',
  'model_error',
  'tool_error',
  'interrupted',
  'waiting',
  'approval_required',
];

/** Replicas under load, faults at random times, and a ledger that is compared with the tables at the end. */
export async function runChaos({
  seed,
  ms,
  logs,
}: {
  readonly seed: number;
  readonly ms: number;
  /** A folder that gets the log of each replica. */
  readonly logs?: string;
}): Promise<Report> {
  const isLong = ms >= LONG_MS;
  const [count, lanes] = isLong ? [3, 8] : [2, 4];
  await using undo = new AsyncDisposableStack();
  const pair = isLong && hasPrograms ? await startPair() : undefined;
  if (pair) undo.defer(() => pair.close());
  const model = createMoodyModel();
  const cluster = await startCluster({
    times: ENGINE_TIMES,
    ...(pair && { server: pair.primary }),
    script: { decide: (prompt) => model.decide(prompt) },
    logs,
  });
  undo.defer(() => cluster.close());
  const slots = [await openSlot(cluster)];
  slots.push(...(await Promise.all(Array.from({ length: count - 1 }, () => openSlot(cluster)))));
  const stage: Stage = { cluster, slots, model, pair };
  const prompts = startWatchingPrompts(cluster.model);

  const load = startLoad(cluster, { lanes });
  const answering = startAnswering(cluster);
  await load.hear();
  const began = performance.now();
  const elapsed = () => performance.now() - began;
  const sampling = startSampling(slots, () => ({ at: elapsed() / 1000, accepted: load.accepted.length }));
  const faults = await causeAll(stage, planFaults({ seed, ms, slots: count, hasStandby: pair !== undefined }), elapsed);
  await sleep(Math.max(0, ms - elapsed()));

  const ending: string[] = [];
  const note = (what: string) => (error: unknown) => void ending.push(`${what}: ${String(error)}`);
  await repairAll(stage).catch(note('a fault lasted to the end'));
  await load.hear().catch(note('the service did not recover'));
  await load.stop().catch(note('the load did not end'));
  await answering.stop().catch(note('the gates were not answered'));
  const samples = await sampling.stop();
  const ends = await countEnds(cluster);
  const [counted] = await query<{ broken: number }>(
    cluster,
    'select coalesce(sum(broken), 0)::integer as broken from turns',
  );
  const breaches = [
    ...faults.flatMap(({ outcome, fault, at, reason }) =>
      outcome === 'not ended' ? `${fault} at ${Math.round(at / 1000)} s was not ended: ${reason}` : [],
    ),
    ...ending,
    ...load.errors.map((error) => `a request failed: ${error}`),
    ...(await load.findBreaches({ deaths: true, lostLog: true })),
    ...(await answering.findBreaches()),
    ...(await findLeaks(cluster, prompts)),
    ...Object.keys(ends)
      .filter((code) => !EXPECTED.includes(code))
      .map((code) => `${ends[code]} turns ended as ${code}`),
  ];
  const turns = load.accepted.length;
  return {
    seed,
    seconds: ms / 1000,
    turns,
    streamed: load.streams.length,
    faults,
    ends,
    broken: counted?.broken ?? 0,
    samples,
    breaches,
  };
}

async function openSlot(cluster: Cluster): Promise<Slot> {
  const line = await cluster.startLine();
  const slot = {
    line,
    replica: await cluster.start(line),
    /** A start may fail while PostgreSQL refuses connections or writes. */
    async start(): Promise<void> {
      for (let tries = 1; ; tries++) {
        try {
          slot.replica = await cluster.start(line);
          return;
        } catch (error) {
          if (tries === STARTS) throw error;
          await sleep(500);
        }
      }
    },
  };
  return slot;
}

/**
 * Causes each fault at its time, unless one is at work in the same place. One replica is always left alone: what happens
 * without any is clear. A failover waits until all others have ended.
 */
async function causeAll(stage: Stage, planned: readonly Planned[], elapsed: () => number): Promise<Caused[]> {
  const busy = new Map<string, Promise<void>>();
  const caused: Caused[] = [];
  for (const fault of planned) {
    await sleep(Math.max(0, fault.at - elapsed()));
    const place = FAULTS[fault.fault] === 'replica' ? `replica ${fault.slot}` : FAULTS[fault.fault];
    if (fault.fault === 'failover') await Promise.all(busy.values());
    else if (busy.has(place) || (isReplica(place) && countReplicas(busy) === stage.slots.length - 1)) {
      caused.push({ ...fault, outcome: 'left out' });
      continue;
    }
    const index = caused.push({ ...fault, outcome: 'done' }) - 1;
    const acting = causeFault(stage, fault)
      .catch((error: unknown) => {
        const outcome = error instanceof HarmRemains ? 'not ended' : 'not possible';
        caused[index] = { ...fault, outcome, reason: String(error) };
      })
      .finally(() => busy.delete(place));
    busy.set(place, acting);
    if (fault.fault === 'failover') await acting;
  }
  await Promise.all(busy.values());
  return caused;
}

const isReplica = (place: string) => place.startsWith('replica');
const countReplicas = (busy: ReadonlyMap<string, unknown>) => [...busy.keys()].filter(isReplica).length;

function startSampling(slots: readonly Slot[], now: () => Pick<Sample, 'at' | 'accepted'>) {
  const samples: Sample[] = [];
  const over = new AbortController();
  const sampling = (async () => {
    while (!over.signal.aborted) {
      samples.push({ ...now(), memory: await Promise.all(slots.map(({ replica }) => memoryOf(replica))) });
      await sleep(SAMPLE_MS, undefined, { signal: over.signal }).catch(() => {});
    }
  })();
  return {
    stop: async () => {
      over.abort();
      await sampling;
      return samples;
    },
  };
}

async function memoryOf({ pid }: Replica): Promise<{ pid: number; mb: number | null }> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  const kilobytes = /^VmRSS:\s+(\d+)/m.exec(status)?.[1];
  return { pid, mb: kilobytes ? Math.round(Number(kilobytes) / 1024) : null };
}

async function countEnds(cluster: Cluster): Promise<Record<string, number>> {
  const rows = await waitFor('the turns to be counted', () =>
    query<{ code: string; count: number }>(
      cluster,
      `select coalesce(failure ->> 'code', status) as code, count(*)::integer as count from turns group by 1 order by 1`,
    ),
  );
  return Object.fromEntries(rows.map(({ code, count }) => [code, count]));
}
