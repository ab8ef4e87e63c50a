import { setTimeout as sleep } from 'node:timers/promises';
import type { ReplicaId } from '#domain/ids.ts';
import type { Turn } from '#domain/thread/turn.ts';
import type { EnginePool } from '../engine-connection.ts';
import type { Session } from './listener.ts';

/** The single lock that the suspects of all replicas wait for. */
const LOCK = [8248, 0];
const TRY_AGAIN_MS = 250;
/** An innocent turn may take an hour; one that kills its host does so long before this. */
const LONGEST_MS = 60_000;

type Suspect = {
  readonly turn: Turn;
  /** The largest group that it may run in; undefined until its first quarantine. */
  most: number | undefined;
  readonly entered: PromiseWithResolvers<() => void>;
};

export type Quarantine = {
  /** Resolves to a function that ends the quarantine of `turn`, once it has started; at once if the turn is stopped. */
  enter(turn: Turn, most: number | undefined, signal: AbortSignal): Promise<() => void>;
};

/**
 * Finds the turn that kills its hosts among those whose hosts died under them twice, by halving:
 *
 * 1. The suspects of a replica wait here. One group at a time is in quarantine in the whole cluster.
 * 2. Suspects that were never in quarantine form groups of half of the waiting ones.
 * 3. A group ends when each of its turns has written something or ended, or after a minute. Its turns are innocent then.
 * 4. If the host dies, the turns of the group may only run in groups of half its size from then on.
 * 5. A turn whose host dies while it is in quarantine alone is the cause, and fails.
 *
 * So N suspects cost about log2 N crashes, and suspects after two crashes with another cause run in two groups. A lost connection
 * loses the lock too, and the quarantine continues: another host may then have a group, too, but no host ever has two.
 */
export function createQuarantine(options: {
  session: Session;
  pool: EnginePool;
  replica: ReplicaId;
  onError: (error: unknown) => void;
}): Quarantine {
  let waiting: Suspect[] = [];
  let isRunning = false;

  function enter(turn: Turn, most: number | undefined, signal: AbortSignal): Promise<() => void> {
    const suspect: Suspect = { turn, most, entered: Promise.withResolvers() };
    const leave = () => {
      waiting = waiting.filter((each) => each !== suspect);
      suspect.entered.resolve(() => {});
    };
    if (signal.aborted) leave();
    else waiting.push(suspect);
    signal.addEventListener('abort', leave, { once: true });
    if (!isRunning) void runAll();
    return suspect.entered.promise.finally(() => signal.removeEventListener('abort', leave));
  }

  async function runAll(): Promise<void> {
    isRunning = true;
    try {
      while (waiting.length > 0) await runGroup();
    } catch (error) {
      for (const { entered } of waiting) entered.reject(error);
      waiting = [];
    } finally {
      isRunning = false;
    }
  }

  async function runGroup(): Promise<void> {
    if (!(await lock(options.session, () => waiting.length > 0))) return;
    const group = takeGroup();
    try {
      await record(group);
      const ends = group.map(({ entered }) => {
        const over = Promise.withResolvers<void>();
        entered.resolve(over.resolve);
        return over.promise;
      });
      const longest = new AbortController();
      await Promise.race([Promise.all(ends), sleep(LONGEST_MS, undefined, { signal: longest.signal }).catch(() => {})]);
      longest.abort();
    } catch (error) {
      for (const { entered } of group) entered.reject(error);
      throw error;
    } finally {
      await unlock(options.session).catch(options.onError);
    }
  }

  /** The largest group that none of its members is too suspicious for. */
  function takeGroup(): Suspect[] {
    const half = Math.ceil(waiting.length / 2);
    for (const suspect of waiting) suspect.most ??= half;
    waiting.sort((one, other) => (other.most ?? half) - (one.most ?? half));
    let size = 0;
    while ((waiting[size]?.most ?? 0) > size) size++;
    return waiting.splice(0, size);
  }

  async function record(group: readonly Suspect[]): Promise<void> {
    if (group.length === 0) return;
    const turns = group.map(({ turn }) => turn);
    const values = [turns.map(({ id }) => id), turns.map(({ attempt }) => attempt), options.replica, group.length];
    await options.pool.query(RECORD, values);
  }

  return { enter };
}

const RECORD = `
  update turns set group_attempt = tried.attempt, group_size = $4
  from unnest($1::uuid[], $2::integer[]) as tried (id, attempt)
  where turns.id = tried.id and turns.attempt = tried.attempt and runner = $3 and status = 'running'`;

/** Returns whether the lock was taken. Gives up when it is not needed any more. */
async function lock(session: Session, isWanted: () => boolean): Promise<boolean> {
  const text = 'select pg_try_advisory_lock($1, $2) as locked';
  for (;;) {
    const { rows } = await session.query<{ locked: boolean }>({ text, values: LOCK });
    if (rows[0]?.locked) return true;
    if (!isWanted()) return false;
    await sleep(TRY_AGAIN_MS);
  }
}

/** Does nothing but log a warning if the connection was lost meanwhile, and the lock with it. */
async function unlock(session: Session): Promise<void> {
  await session.query({ text: 'select pg_advisory_unlock($1, $2)', values: LOCK });
}
