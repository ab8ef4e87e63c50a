import { ApiError, type Client } from '@reborn-agent/client';

/** Lets the next message of a thread begin with a summary, or takes that back. Resolves to what became of it, in words. */
export async function compactThread(client: Client, id: string | undefined, asks = true): Promise<string> {
  if (id === undefined) return 'There is nothing to summarise yet.';
  const params = { id };
  try {
    if (asks) await client.call('POST /api/threads/{id}/compact', { params });
    else await client.call('DELETE /api/threads/{id}/compact', { params });
  } catch (error) {
    if (error instanceof ApiError && error.code === 'nothing_to_compact') return error.message;
    throw error;
  }
  return asks ? BEGINS_WITH_SUMMARY : 'Your next message begins without a summary.';
}

export const BEGINS_WITH_SUMMARY = 'Your next message begins with a summary of what was said before.';

/** What follows `/compact`. */
export const asksToCompact = (argument: string): boolean => argument.toLowerCase() !== 'off';
