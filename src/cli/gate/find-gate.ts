import { ApiError, type Client } from '@reborn-agent/client';
import type { OpenGate } from '@reborn-agent/client/api';
import { readPages } from '../connect/with-client.ts';
import { findId } from '../find-named.ts';

const PAGE = 100;
const NO_GATE = 'This gate does not exist, or it was answered already. `reborn gate list` shows the open ones.';

export const readGates = (client: Client): Promise<OpenGate[]> =>
  readPages(async (cursor) => {
    const page = await client.call('GET /api/gates', { query: { limit: PAGE, cursor } });
    return { rows: page.gates, next: page.next_cursor };
  });

/** The open gate with this id, or with an id that begins or ends like this. */
export async function getGate(client: Client, given: string): Promise<OpenGate> {
  const readAll = async () => (await readGates(client)).map(({ id, call }) => ({ id, name: call.name }));
  const id = await findId(given, readAll, { kind: 'gate', list: 'reborn gate list' });
  return client.call('GET /api/gates/{id}', { params: { id } }).catch((error: unknown) => {
    throw error instanceof ApiError && error.status === 404 ? new Error(NO_GATE) : error;
  });
}
