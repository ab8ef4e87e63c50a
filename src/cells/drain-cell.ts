import { setTimeout as sleep } from 'node:timers/promises';
import type { Cell } from '#domain/cell/cell.ts';
import { findHome, type WeightedCell } from '#domain/cell/placement.ts';
import { hashIdentity } from '#domain/cell/user-move.ts';
import type { UserId } from '#domain/principal.ts';
import { hashSecret } from '#domain/secret-hash.ts';
import { type DrainRecord, startDrain } from './drain-record.ts';
import type { MoveClient } from './move-client.ts';

/** One who moves users, one after the other, with connections that no one else uses. */
export type Mover = {
  /** Moves the user. Returns why they stay, in words, or undefined when they have moved. */
  move(user: Leaver, to: Cell): Promise<string | undefined>;
};

export type Leaver = { readonly id: UserId; readonly name: string };

export type DrainOptions = {
  /** Reads the users and writes how far the drain has come. */
  readonly source: MoveClient;
  readonly movers: readonly Mover[];
  /** The cells that take the users. */
  readonly targets: readonly WeightedCell[];
  readonly perMinute: number;
  readonly onMoved?: (record: DrainRecord) => void;
  readonly onStay?: (user: Leaver, reason: string) => void;
};

/** After as many failures in a row, the cause is not the users. */
const MOST_FAILURES = 5;
const MINUTE_MS = 60_000;

/**
 * Moves all users of this cell to their homes among the others, at most `perMinute`. Everything that is known about the progress is in the
 * database: a drain that was killed is started again, and continues. Removed users stay, since they are refused here.
 */
export async function drainCell(options: DrainOptions): Promise<DrainRecord> {
  const { source, movers, perMinute } = options;
  const drain = await startDrain(source, perMinute);
  const users = listLeavers(source);
  let next = performance.now();
  let failures = 0;

  async function work(mover: Mover): Promise<void> {
    for (;;) {
      const { value: user } = await users.next();
      if (!user) return;
      const wait = next - performance.now();
      next = Math.max(next, performance.now()) + MINUTE_MS / perMinute;
      if (wait > 0) await sleep(wait);
      const reason = await moveOne(mover, user);
      const record = await drain.count(reason === undefined ? 'moved' : 'stayed');
      if (reason === undefined) options.onMoved?.(record);
      else options.onStay?.(user, reason);
    }
  }

  async function moveOne(mover: Mover, user: ListedLeaver): Promise<string | undefined> {
    try {
      const reason = await mover.move(user, user.movingTo ?? targetOf(user, options.targets));
      failures = 0;
      return reason;
    } catch (error) {
      if (++failures >= MOST_FAILURES) throw error;
      return (error as Error).message;
    }
  }

  const ended = await Promise.allSettled(movers.map(work));
  const broken = ended.find((each) => each.status === 'rejected');
  if (broken) throw broken.reason;
  return drain.end();
}

type ListedLeaver = Leaver & {
  readonly issuer: string | null;
  readonly subject: string | null;
  /** The cell of a move that was started. */
  readonly movingTo: Cell | null;
};

const PAGE = 200;

/** The users of the cell by id, so that those who stay are seen once. Several movers may ask at the same time. */
async function* listLeavers(source: MoveClient): AsyncGenerator<ListedLeaver, undefined> {
  for (let after = ''; ; ) {
    const { rows } = await source.query<ListedLeaver>(LIST, [after, PAGE]);
    yield* rows;
    const last = rows.at(-1);
    if (!last) return undefined;
    after = last.id;
  }
}

const LIST = `
  select users.id, name, oidc_issuer as issuer, oidc_subject as subject, cell as "movingTo"
  from users left join user_moves on user_moves.subject = users.id and state <> 'arrived'
  where users.id > $1 and (removed_at is null or state is not null) order by users.id limit $2`;

/** Where a sign-in would place the identity if this cell did not exist. A user without one goes anywhere, but always to the same cell. */
function targetOf({ id, issuer, subject }: ListedLeaver, targets: readonly WeightedCell[]): Cell {
  const key = issuer && subject ? hashIdentity({ issuer, subject }) : hashSecret(`user ${id}`);
  const home = findHome(key, targets);
  if (home === undefined) throw new Error('No other cell is open. Give one a weight above 0 in CELLS.');
  return home;
}
