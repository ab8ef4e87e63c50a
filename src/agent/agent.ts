import type { GateId, ItemId, ThreadId, TurnId, TurnIds, UploadId } from '#domain/ids.ts';
import type { Principal } from '#domain/principal.ts';
import { attachedBytes } from '#domain/thread/attachment.ts';
import type { NewItem } from '#domain/thread/item.ts';
import type { ThreadUrl } from '#domain/thread/thread.ts';
import type { CancelReason, Turn, TurnRecord } from '#domain/thread/turn.ts';
import { contentOf } from '#domain/thread/turn-event.ts';
import type { Upload } from '#domain/workspace/upload.ts';
import type { Engine } from '#engine/engine.ts';
import { findSchemaProblem } from '#safety/json-schema/json-schema.ts';
import { type Database, withOwner } from '#store/connection.ts';
import { type Census, takeCensus } from '#store/system/counts.ts';
import { findItems } from '#store/threads/items.ts';
import { listHistory } from '#store/threads/thread-items.ts';
import { countBytes } from '#store/threads/threads.ts';
import { isDelivered } from '#store/threads/unstored-turns.ts';
import { findUploads } from '#store/workspaces/uploads.ts';
import type { SealedTexts } from '#tools/secrets/sealed-text.ts';
import type { Attachments, Base64Of } from './attachments/attachments.ts';
import { openSummary, type SealedSummary } from './compaction/sealed-summary.ts';
import { type CompactionInput, startCompaction } from './compaction/start-compaction.ts';
import type { CountApproval, GateAnswer } from './gates/answer-gate.ts';
import { createOpenGates } from './gates/open-gates.ts';
import type { ShownGate } from './gates/shown-gate.ts';
import { cancelTurn } from './input/cancel-turn.ts';
import { deleteEndedTurn, deleteUnstoredTurns, discardTurn } from './input/delete-turn.ts';
import { type StartedTurn, startTurn, type TurnInput } from './input/start-turn.ts';
import { createTurnFollower, type FollowedTurn, noResponse } from './watch/follow-turn.ts';
import type { TurnReply } from './watch/turn-reply.ts';
import type { WatchOwnTurn } from './watch/watch-turn.ts';
import { addMessageFiles } from './workspace/message-files.ts';

/** Missing and foreign resources both throw `NotFound`. */
export type Agent = {
  startTurn(owner: Principal, input: TurnInput): Promise<StartedTurn>;
  /** Starts a turn whose reply is one compaction item. */
  startCompaction(owner: Principal, input: CompactionInput): Promise<StartedTurn>;
  /** The summary in a compaction item that a caller sends back; undefined when it can't be read. */
  openSummary(owner: Principal, sealed: string): SealedSummary | undefined;
  getTurn(owner: Principal, ids: TurnIds): Promise<TurnRecord>;
  /** The conversation up to and including a turn, with the bytes of its attachments; undefined when it is larger than `maxBytes`. */
  findHistory(owner: Principal, turn: Turn, maxBytes: number): Promise<readonly NewItem[] | undefined>;
  /** Follows a turn to its end, on any replica. */
  watch: WatchOwnTurn;
  /**
   * The turn when it has ended. One that has a timeout is cancelled after it; when `signal` aborts, the turn as it is then.
   */
  outcome(owner: Principal, started: FollowedTurn, options: { readonly signal: AbortSignal }): Promise<TurnReply>;
  /** The items with these ids that belong to the owner. */
  findItems(owner: Principal, ids: readonly ItemId[]): Promise<NewItem[]>;
  /** The uploaded files with these ids that belong to the owner. */
  findUploads(owner: Principal, ids: readonly UploadId[]): Promise<Upload[]>;
  /** Reads the bytes of the owner's items. */
  readAttachments(owner: Principal, items: readonly NewItem[]): Promise<Base64Of>;
  cancelTurn(owner: Principal, ids: TurnIds, reason: CancelReason): Promise<void>;
  /** Cancels the turn if it has not ended, and deletes it with all its data. The thread goes with its last turn. */
  deleteTurn(owner: Principal, ids: TurnIds): Promise<void>;
  /**
   * Deletes a turn of the owner that has ended. `getTurn` does not find it from now on. With `keepsCall`, a turn that waits for
   * a caller's tool stays for a day, only to match a replayed history.
   */
  discardTurn(owner: Principal, turn: Turn, keepsCall: boolean): Promise<void>;
  /** Deletes the turns of a thread that are not to be stored, unless the thread waits or a turn continues it. */
  deleteUnstored(owner: Principal, threadId: ThreadId): Promise<void>;
  /** An open gate: the principal's, or for an operator anyone's. */
  getGate(principal: Principal, id: GateId): Promise<ShownGate>;
  /** An operator may answer for any user. */
  answerGate(principal: Principal, id: GateId, answer: GateAnswer): Promise<Turn>;
  /** Open gates, newest first: the principal's own, or for an operator everyone's. */
  listGates(principal: Principal, page: { before?: GateId; limit: number }): Promise<ShownGate[]>;
  /** Why answers can't be checked against this JSON Schema; undefined when they can. */
  findSchemaProblem(owner: Principal, schema: Readonly<Record<string, unknown>>): Promise<string | undefined>;
  census(): Promise<Census>;
};

/** The entry point for all channels. */
export function createAgent(
  db: Database,
  engine: Engine,
  summaries: SealedTexts,
  attachments: Attachments,
  threadUrl: ThreadUrl,
  onChatStarted: (owner: Principal, threadId: ThreadId) => Promise<void> = async () => {},
  countApproval?: CountApproval,
): Agent {
  const leaving = new Set<TurnId>(); // being deleted here: callers don't see them any more
  const { getRecord, watch, outcome, end } = createTurnFollower(db, engine);

  return {
    watch,
    outcome,
    ...createOpenGates(db, engine, countApproval),

    async startTurn(owner, input) {
      const kept = await attachments.keep(owner, input.items);
      const items = await addMessageFiles(attachments, owner, kept, input);
      const started = await startTurn(db, engine, owner, { ...input, items, threadUrl });
      const isNewChat = started.fresh && input.channel === 'gateway' && input.threadId === undefined;
      if (isNewChat) await onChatStarted(owner, started.turn.threadId);
      return started;
    },
    startCompaction: (owner, input) => startCompaction({ db, engine, summaries }, owner, input),
    openSummary: (owner, sealed) => openSummary(summaries, owner, sealed),
    async getTurn(owner, ids) {
      const record = leaving.has(ids.turnId) ? undefined : await getRecord(owner, ids);
      const mayBeKept = record?.turn.status === 'waiting' || Boolean(record?.turn.steeredBy);
      if (!record || (mayBeKept && (await withOwner(db, owner, (trx) => isDelivered(trx, owner, ids.turnId)))))
        throw noResponse();
      return record;
    },
    async findHistory(owner, { threadId, seq }, maxBytes) {
      const found = await withOwner(db, owner, async (trx) => {
        const bytes = await countBytes(trx, owner, threadId);
        return bytes > maxBytes ? undefined : { bytes, items: await listHistory(trx, owner, threadId, seq) };
      });
      if (!found || found.bytes + attachedBytes(found.items) > maxBytes) return undefined;
      return attachments.inline(owner, found.items.map(contentOf));
    },
    findItems: (owner, ids) =>
      ids.length === 0 ? Promise.resolve([]) : withOwner(db, owner, (trx) => findItems(trx, owner, ids)),
    findUploads: (owner, ids) =>
      ids.length === 0 ? Promise.resolve([]) : withOwner(db, owner, (trx) => findUploads(trx, owner, ids)),
    readAttachments: (owner, items) => attachments.base64Of(owner, items),
    findSchemaProblem: (owner, schema) => findSchemaProblem(schema, owner.userId),
    census: () => takeCensus(engine.system),
    cancelTurn: (owner, { threadId, turnId }, reason) => cancelTurn(db, engine, owner, { threadId, turnId }, reason),
    deleteUnstored: (owner, threadId) => deleteUnstoredTurns(db, engine, owner, threadId),
    async deleteTurn(owner, ids) {
      await end(owner, ids);
      await deleteEndedTurn(db, engine, owner, ids);
    },
    async discardTurn(owner, { id, threadId }, keepsCall) {
      leaving.add(id);
      try {
        await discardTurn(db, engine, owner, { threadId, turnId: id }, keepsCall);
      } finally {
        leaving.delete(id);
      }
    },
  };
}
