import { sql } from 'kysely';
import type { ItemId, ThreadId } from '#domain/ids.ts';
import type { Question, QuestionInput } from '#domain/tool/question.ts';
import type { OwnedTransaction, Owner } from '../connection.ts';

/** A question of a server about one call, and its answer. */
export type CallQuestion = {
  readonly callId: ItemId;
  readonly threadId: ThreadId;
  /** The call and the version of the tool that the server asked about. */
  readonly digest: string;
  readonly question: Question;
  /** What the tool needs in order to continue the call. */
  readonly state: unknown;
  /** Null until a person has answered. */
  readonly input: QuestionInput | null;
};

/** Replaces an earlier question about the same call, which was answered. */
export async function putCallQuestion(
  trx: OwnedTransaction,
  owner: Owner,
  { callId, threadId, digest, question, state }: Omit<CallQuestion, 'input'>,
): Promise<void> {
  const asked = { digest, question: JSON.stringify(question), state: JSON.stringify(state), input: null };
  await trx
    .insertInto('callQuestions')
    .values({ callId, threadId, userId: owner.userId, ...asked })
    .onConflict((known) => known.column('callId').doUpdateSet(asked))
    .execute();
}

export function findCallQuestion(
  trx: OwnedTransaction,
  owner: Owner,
  callId: ItemId,
): Promise<CallQuestion | undefined> {
  return trx
    .selectFrom('callQuestions')
    .select(['callId', 'threadId', 'digest', 'question', 'state', 'input'])
    .where('callId', '=', callId)
    .where('userId', '=', owner.userId)
    .executeTakeFirst();
}

export async function answerCallQuestion(
  trx: OwnedTransaction,
  owner: Owner,
  callId: ItemId,
  input: QuestionInput,
): Promise<void> {
  await trx
    .updateTable('callQuestions')
    .set({ input: JSON.stringify(input), answeredAt: sql<Date>`now()` })
    .where('callId', '=', callId)
    .where('userId', '=', owner.userId)
    .execute();
}

/** The call has its output. */
export async function deleteCallQuestion(trx: OwnedTransaction, owner: Owner, callId: ItemId): Promise<void> {
  await trx.deleteFrom('callQuestions').where('callId', '=', callId).where('userId', '=', owner.userId).execute();
}
