import type { FunctionCallItem } from '#domain/thread/item.ts';
import type { Turn } from '#domain/thread/turn.ts';
import { callOf } from '#domain/thread/turn-event.ts';
import { digestCall } from '#domain/tool/call-digest.ts';
import type { OwnedTransaction } from '#store/connection.ts';
import { markStarted } from '#store/threads/items.ts';
import { restoreApproval, useApproval } from '#store/tools/approvals.ts';
import { putCallQuestion } from '#store/tools/call-questions.ts';
import type { InputRequired } from '#tools/tool.ts';
import type { AllowedCall } from '../gates/gates.ts';

/** Records the start and uses up the approval in one transaction, so that one approval never runs a call twice. */
export async function startCall(
  trx: OwnedTransaction,
  turn: Turn,
  call: FunctionCallItem,
  { approval }: AllowedCall,
): Promise<void> {
  await markStarted(trx, turn, turn, call);
  if (approval && !(await useApproval(trx, turn, { gateId: approval, callId: call.id })))
    throw new Error(`The approval of gate ${approval} was used or has expired.`);
}

/** For a call that was refused before it did anything: it can run later, with the same approval. */
export async function undoStart(
  trx: OwnedTransaction,
  turn: Turn,
  call: FunctionCallItem,
  { approval }: AllowedCall,
): Promise<void> {
  await markStarted(trx, turn, turn, call, false);
  if (approval) await restoreApproval(trx, turn, { gateId: approval, callId: call.id });
}

/** For a call whose server asks a person first. It runs again with the answer. */
export async function keepQuestion(
  trx: OwnedTransaction,
  turn: Turn,
  call: FunctionCallItem,
  decision: AllowedCall,
  { question, state }: InputRequired,
): Promise<void> {
  const digest = digestCall(callOf(call), decision.tool?.revision ?? null);
  await undoStart(trx, turn, call, decision);
  await putCallQuestion(trx, turn, { callId: call.id, threadId: turn.threadId, digest, question, state });
}
