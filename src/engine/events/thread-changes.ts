import { isUuid, type ReplicaId, type ThreadId } from '#domain/ids.ts';
import type { UserId } from '#domain/principal.ts';
import type { EnginePool } from '../engine-connection.ts';
import { sendSignal } from '../presence/listener.ts';
import { repeat } from '../repeat.ts';

/** A thread changed: a turn was added or ended, or the thread was renamed or deleted. */
export type ThreadChanged = { readonly threadId: ThreadId; readonly userId: UserId };

/** A change is only a hint and may be reported twice: the follower reads the current state. */
type Follower = {
  readonly userIds: readonly UserId[];
  readonly prefix: string | undefined;
  onChange(change: ThreadChanged): void;
};

const GATHER_MS = 30;
const POLL_MS = 1000;
/** The limit of PostgreSQL is 8,000 bytes. */
const MAX_SIGNAL_BYTES = 7000;

export type ThreadChanges = ReturnType<typeof createThreadChanges>;

/**
 * Notifies the followers of a user's threads on all replicas. Signals are sent only while another replica has followers,
 * and a lost signal only costs time: one query per process polls the threads of the users followed here.
 */
export function createThreadChanges(options: {
  pool: EnginePool;
  replica: ReplicaId;
  /** Whether another replica has followers. */
  isFollowedElsewhere: () => boolean;
  /** A follower was added or removed on this replica. */
  onFollowers: () => void;
  onError: (error: unknown) => void;
}) {
  const { pool, replica, onError } = options;
  const followers = new Set<Follower>();
  let gathered = new Map<ThreadId, UserId>();
  let timer: NodeJS.Timeout | undefined;
  let known = new Map<ThreadId, string>();

  function tell(change: ThreadChanged): void {
    for (const follower of followers) if (isFor(follower, change.userId)) follower.onChange(change);
  }

  function notify({ threadId, userId }: ThreadChanged): void {
    tell({ threadId, userId });
    if (!options.isFollowedElsewhere()) return;
    gathered.set(threadId, userId);
    timer ??= setTimeout(() => void flush().catch(onError), GATHER_MS);
  }

  async function flush(): Promise<void> {
    const changes = [...gathered];
    gathered = new Map();
    timer = undefined;
    for (const threads of inPieces(changes)) await sendSignal(pool, { threads, from: replica });
  }

  /** Polls the followed users' threads and reports those that changed since the last poll. */
  async function poll(): Promise<void> {
    if (followers.size === 0) return;
    const users = [...new Set([...followers].flatMap(({ userIds }) => userIds))];
    const running = [...known].flatMap(([id, state]) => (state.endsWith(IDLE) ? [] : id));
    const { rows } = await pool.query<ThreadChanged & { state: string }>(CHANGED, [users, running]);
    const next = new Map(rows.map(({ threadId, state }) => [threadId, state]));
    for (const { threadId, userId, state } of rows) if (known.get(threadId) !== state) tell({ threadId, userId });
    known = next;
  }
  const polling = repeat(POLL_MS, poll, onError);

  return {
    notify,
    /** From another replica. */
    receive(threads: unknown): void {
      if (!Array.isArray(threads)) return;
      for (const [threadId, userId] of threads as [unknown, unknown][])
        if (typeof threadId === 'string' && isUuid<ThreadId>(threadId) && typeof userId === 'string')
          tell({ threadId, userId });
    },
    /** Reports changes of the threads of these users, and of users whose ID starts with `prefix`. Returns a function that stops it. */
    follow: (who: Omit<Follower, 'onChange'>, onChange: Follower['onChange']): (() => void) => {
      const follower = { ...who, onChange };
      followers.add(follower);
      options.onFollowers();
      return () => {
        followers.delete(follower);
        options.onFollowers();
      };
    },
    count: () => followers.size,
    async stop(): Promise<void> {
      clearTimeout(timer);
      await polling.stop();
    },
  };
}

const isFor = ({ userIds, prefix }: Follower, userId: UserId) =>
  userIds.includes(userId) || (prefix !== undefined && userId.startsWith(prefix));

function* inPieces(changes: readonly (readonly [ThreadId, UserId])[]): Generator<[ThreadId, UserId][]> {
  let piece: [ThreadId, UserId][] = [];
  let bytes = 0;
  for (const [threadId, userId] of changes) {
    const size = Buffer.byteLength(JSON.stringify([threadId, userId])) + 1;
    if (size > MAX_SIGNAL_BYTES) continue; // found by polling
    if (bytes + size > MAX_SIGNAL_BYTES) {
      yield piece;
      piece = [];
      bytes = 0;
    }
    piece.push([threadId, userId]);
    bytes += size;
  }
  if (piece.length > 0) yield piece;
}

const IDLE = '/idle';

// Naming both values of `pinned` lets the index on (user_id, pinned, updated_at) lead straight to the newest threads.
const CHANGED = `
  select id as "threadId", user_id as "userId",
    concat(updated_at, '/', last_seq, '/', coalesce(active::text, 'idle')) as state
  from threads
  where (user_id = any($1::text[]) and pinned = any('{true,false}') and updated_at > now() - interval '10 seconds')
  union
  select id, user_id, concat(updated_at, '/', last_seq, '/', coalesce(active::text, 'idle'))
  from threads where id = any($2::uuid[])`;
