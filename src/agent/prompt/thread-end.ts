import { NotFound } from '#domain/errors.ts';
import { newId, type ThreadId, type TurnId } from '#domain/ids.ts';
import type { Principal } from '#domain/principal.ts';
import type { Item } from '#domain/thread/item.ts';
import type { Turn, TurnRequest } from '#domain/thread/turn.ts';
import type { ToolDefinition } from '#domain/tool/tool.ts';
import { NO_USAGE } from '#domain/usage.ts';
import type { Engine } from '#engine/engine.ts';
import type { TurnContext } from '#engine/statements/turn-context.ts';
import { type Database, withOwner } from '#store/connection.ts';
import { lockThread } from '#store/threads/threads.ts';
import { findTurn } from '#store/threads/turns.ts';

/** The thread that a request continues, and the turn in it that it names. */
export type ContinuedThread = {
  readonly threadId: ThreadId | undefined;
  readonly previousTurnId?: TurnId | undefined;
};

/** The end of a thread, as the next turn would find it. */
export type ThreadEnd = {
  readonly threadId: ThreadId;
  /** The number that the next turn would get. */
  readonly seq: number;
  /** The caller's tools, as the latest request declared them. */
  readonly catalog: readonly ToolDefinition[];
  readonly context: TurnContext;
  /** The items that the context's summary does not replace. */
  readonly history: readonly Item[];
};

/** Starts nothing. Without a `threadId` it is the end of an empty thread; a missing or foreign thread throws `NotFound`. */
export async function readThreadEnd(
  db: Database,
  engine: Engine,
  owner: Principal,
  { threadId, previousTurnId }: ContinuedThread,
): Promise<ThreadEnd> {
  const thread =
    threadId === undefined
      ? undefined
      : await withOwner(db, owner, async (trx) => {
          const found = await lockThread(trx, owner, threadId);
          const isKnown = found && (!previousTurnId || (await findTurn(trx, owner, threadId, previousTurnId)));
          if (!isKnown) throw new NotFound('This thread does not exist. Check previous_response_id or conversation.');
          return found;
        });
  const end = { threadId: threadId ?? newId(), seq: (thread?.lastSeq ?? 0) + 1, catalog: thread?.catalog ?? [] };
  const turn = unstartedTurn(owner, end, NO_REQUEST);
  const context = await engine.readContext(turn);
  return { ...end, context, history: thread ? await engine.readHistory(turn, context) : [] };
}

const NO_REQUEST: TurnRequest = { model: null, temperature: null, tools: [], echo: {} };

/** The turn that a request would become. */
export function unstartedTurn(
  owner: Principal,
  { threadId, seq }: Pick<ThreadEnd, 'threadId' | 'seq'>,
  request: TurnRequest,
): Turn {
  return {
    id: newId(),
    threadId,
    userId: owner.userId,
    seq,
    run: null,
    steers: null,
    steeredBy: null,
    status: 'queued',
    channel: 'responses',
    request,
    failure: null,
    usage: NO_USAGE,
    attempt: -1,
    cancelReason: null,
    createdAt: new Date(),
    endedAt: null,
  };
}
