import type { Client } from '@reborn-agent/client';
import type { User } from '@reborn-agent/client/api';
import { OPERATOR } from '#domain/principal.ts';
import { isWebhookUser } from '#domain/thread/job.ts';
import { readPages } from '../connect/with-client.ts';

type Named = Pick<User, 'id' | 'name'>;

const PAGE = 100;

export function listUsers(client: Client, q?: string): Promise<User[]> {
  return readPages(async (cursor) => {
    const page = await client.call('GET /api/users', { query: { q, limit: PAGE, cursor } });
    return { rows: page.users, next: page.next_cursor };
  });
}

/** Finds a user by ID, email or name; `me` is the caller. Throws when none or several match, and says what to do. */
export async function getUser(client: Client, called: string): Promise<Named> {
  if (called === 'me') return { id: 'me', name: 'me' };
  const email = called.toLowerCase();
  const [user, ...more] = (await listUsers(client, called)).filter(
    (each) => each.id === called || each.email === email || each.name === called,
  );
  if (!user && called === OPERATOR.userId) throw new Error(NOT_A_USER);
  if (!user) throw new Error(`The user "${called}" does not exist. \`reborn user list\` shows all users.`);
  if (more.length > 0) throw new Error(`Several users are called "${called}". Use an id from \`reborn user list\`.`);
  return user;
}

/** Also those who have no account: the operator, and webhook users. */
export async function getAnyone(client: Client, called: string): Promise<Named> {
  return called === OPERATOR.userId || isWebhookUser(called) ? { id: called, name: called } : getUser(client, called);
}

const NOT_A_USER =
  "The operator is not a user. The operator's token is SERVICE_REBORN_WEBUI_TOKEN or, if that is not set, in the file webui-token of the home folder; `reborn link` prints a link to sign in with.";
