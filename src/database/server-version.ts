import type pg from 'pg';
import { DatabaseUnavailable } from './database-unavailable.ts';

const OLDEST_MAJOR = 15;

export async function readServerVersion(client: pg.Client): Promise<string> {
  const { rows } = await client.query<{ server_version: string }>('show server_version');

  return supportedVersion(rows[0]?.server_version ?? '');
}

/** `reported` may include the packager's text: "16.3 (Debian 16.3-1)". */
export function supportedVersion(reported: string): string {
  const version = /^\d+(\.\d+)*/.exec(reported)?.[0] ?? '';
  if (Number.parseInt(version, 10) >= OLDEST_MAJOR) return version;

  throw new DatabaseUnavailable(
    `The server at DATABASE_URL runs PostgreSQL ${version || reported}. Upgrade it to ${OLDEST_MAJOR} or later, ` +
      'or unset DATABASE_URL to use the built-in one.',
  );
}
