import type { Client } from '@reborn-agent/client';
import type { ThreadView } from '../thread-view.ts';

type Chat = { readonly client: Client; readonly thread: Pick<ThreadView, 'now' | 'note'> };

/** `/good` and `/bad why` rate the last answer; the same rating again, without a reason, takes it back. */
export async function rateAnswer({ client, thread }: Chat, rating: 'good' | 'bad', reason: string): Promise<void> {
  const { threadId, answered } = thread.now();
  if (threadId === undefined || answered === undefined) return thread.note('There is no answer yet.');
  const { ratings } = await client.call('GET /api/threads/{id}/ratings', { params: { id: threadId } });
  const params = { id: answered };
  if (reason === '' && ratings.some((before) => before.turn_id === answered && before.rating === rating)) {
    await client.call('DELETE /api/turns/{id}/rating', { params });
    return thread.note('The answer is no longer rated.');
  }
  await client.call('PUT /api/turns/{id}/rating', { params, body: { rating, ...(reason && { reason }) } });
  thread.note(
    `Rated as a ${rating} answer. Operators see the rating${reason && ' and its reason'} with the title of the thread and the model, but not the answer.`,
  );
}
