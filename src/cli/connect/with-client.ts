import { ApiError, type Client, createClient } from '@reborn-agent/client';
import { readConfig } from '#config/config.ts';
import { runCommand } from '../run-command.ts';
import { withQuietService } from './with-service.ts';

/**
 * Calls the API: of the service at REBORN_URL as the user of REBORN_TOKEN, or of this home's service as the operator. If none
 * runs, one is started for this command; it runs no turns.
 */
export function withClient(act: (client: Client) => Promise<void>): Promise<void> {
  return runCommand(() => withQuietService(readConfig(), ({ locate }) => act(createClient(locate)), { turns: 0 }));
}

/** Replaces the message of a 404. */
export async function orMissing<T>(answer: Promise<T>, message: string): Promise<T> {
  return answer.catch((error: unknown) => {
    throw error instanceof ApiError && error.status === 404 ? new Error(message) : error;
  });
}

type Page<T> = { readonly rows: readonly T[]; readonly next: string | null };

/** All rows of a list that the API answers in pages. */
export async function readPages<T>(read: (cursor: string | undefined) => Promise<Page<T>>): Promise<T[]> {
  const rows: T[] = [];
  for (let cursor: string | undefined; ; ) {
    const page = await read(cursor);
    rows.push(...page.rows);
    if (page.next === null) return rows;
    cursor = page.next;
  }
}
