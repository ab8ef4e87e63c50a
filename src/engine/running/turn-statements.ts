import { createBatch } from '#domain/batch.ts';
import type { ReplicaId, TurnId } from '#domain/ids.ts';
import type { UserId } from '#domain/principal.ts';
import type { Spent } from '#domain/spending.ts';
import type { Turn } from '#domain/thread/turn.ts';
import type { EnginePool } from '../engine-connection.ts';
import { deleteEventsOfDeleted } from '../events/event-log.ts';
import type { EventWriter } from '../events/event-writer.ts';
import { type Appending, type AppendOutcome, appendItems } from '../statements/append.ts';
import { type Settled, type Settling, settleTurns } from '../statements/settle.ts';
import { readContexts, type TurnContext } from '../statements/turn-context.ts';

export type TurnStatements = ReturnType<typeof createTurnStatements>;

/** The statements of running turns. Statements of the same moment go to the database together. */
export function createTurnStatements(options: {
  pool: EnginePool;
  replica: ReplicaId;
  writer: Pick<EventWriter, 'sendAhead'>;
  isAway: (error: unknown) => boolean;
  /** How many more turns may start here. */
  room: () => number;
  /** Whether a client of this replica sees the turn's events as they come. */
  isShown: (turnId: TurnId) => boolean;
}) {
  const { pool, replica, isAway } = options;
  /**
   * What a client has received must be in the log before the items are stored. Otherwise, if this process dies in between,
   * another replica would build it from the items and send it a second time.
   */
  const sendSeenEvents = async (batch: readonly { readonly turn: Turn }[]): Promise<void> => {
    if (batch.some(({ turn }) => options.isShown(turn.id))) await options.writer.sendAhead();
  };
  return {
    settle: createBatch<Settling, Settled>(async (batch) => {
      await sendSeenEvents(batch);
      // Each turn that ends frees its slot for its successor.
      return settleTurns(pool, replica, options.room() + batch.length, batch);
    }, isAway),
    append: createBatch<Appending, { outcome: AppendOutcome }>(async (batch) => {
      await sendSeenEvents(batch);
      return (await appendItems(pool, replica, batch)).map((outcome) => ({ outcome }));
    }, isAway),
    findSpent: createBatch<UserId, Spent>((users) => findSpent(pool, users), isAway),
    readContext: createBatch<Turn, TurnContext>((turns) => readContexts(pool, turns), isAway),
    deleteEventsOfDeleted: createBatch<TurnId, void>(async (ids) => {
      await deleteEventsOfDeleted(pool, ids);
      return ids.map(() => undefined);
    }, isAway),
  };
}

/** What each of these users has spent today. */
async function findSpent(pool: EnginePool, users: readonly UserId[]): Promise<Spent[]> {
  const { rows } = await pool.query<Spent & { userId: UserId }>(SPENT, [[...new Set(users)]]);
  const found = new Map(rows.map(({ userId, tokens, usd }) => [userId, { tokens, usd }]));
  return users.map((user) => found.get(user) ?? { tokens: 0, usd: 0 });
}

const SPENT = `
  select user_id as "userId", sum(input_tokens + output_tokens)::float8 as tokens, sum(cost_usd) as usd
  from usage_days where user_id = any($1::text[]) and day = (now() at time zone 'utc')::date
  group by user_id`;
