import type { ThreadId } from '#domain/ids.ts';
import type { Principal } from '#domain/principal.ts';
import type { NewItem } from '#domain/thread/item.ts';
import { agrees, blocksMessage, blocksOf, isOnlyBlocks } from '#domain/thread/replayed-history.ts';
import type { OpenGate } from '#domain/tool/gate.ts';
import { type Database, withOwner } from '#store/connection.ts';
import { findGateOfCall } from '#store/threads/gates.ts';
import { listHistory } from '#store/threads/thread-items.ts';

/** A history that ends with the output of a call for which one of the caller's threads waits. */
export type Replay =
  /** It is the history of that thread, which continues with `items`. */
  | { readonly kind: 'continues'; readonly threadId: ThreadId; readonly items: readonly NewItem[] }
  /** It is another history: the wait of that thread is over. */
  | { readonly kind: 'differs'; readonly gate: OpenGate };

/** A larger thread is not compared: a request holds less than this. */
const MAX_COMPARED_BYTES = 32 * 1024 * 1024;

/**
 * Many clients send the whole history again with the output of a tool, instead of naming the response that they continue.
 * Returns undefined when no thread waits for this output.
 */
export async function findReplayedThread(
  db: Database,
  owner: Principal,
  items: readonly NewItem[],
): Promise<Replay | undefined> {
  const last = items.at(-1);
  const sent = last && isOnlyBlocks(last) ? items.slice(0, -1) : items;
  const answer = sent.at(-1);
  if (sent.length < 2 || answer?.type !== 'function_call_output') return undefined;
  return withOwner(db, owner, async (trx) => {
    const gate = await findGateOfCall(trx, owner, answer.callId);
    if (!gate) return undefined;
    if (Number(gate.bytes) > MAX_COMPARED_BYTES) return { kind: 'differs', gate };
    const thread = await listHistory(trx, owner, gate.threadId, gate.turnSeq); // without messages that wait behind the gate
    if (!agrees(thread, answer.callId, sent.slice(0, -1))) return { kind: 'differs', gate };

    const blocks = blocksOf(items);
    const added = blocks.length === 0 ? [] : [blocksMessage(blocks)];
    return { kind: 'continues', threadId: gate.threadId, items: [answer, ...added] };
  });
}
