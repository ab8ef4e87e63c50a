import type { clientOf } from './service.ts';

type Client = Pick<ReturnType<typeof clientOf>, 'request'>;
export type TestUser = { id: string; token: string; tokenId: string; headers: { authorization: string } };

let again = 0;

/** Creates a user with a token, over the API. If a test before has taken the name, it gets a number. */
export async function addUser(service: Client, name: string, role = 'member'): Promise<TestUser> {
  const { id } = await created(service, '/api/users', { name, role }).catch((error: unknown) => {
    if (!String(error).includes(' 409: ')) throw error;
    return created(service, '/api/users', { name: `${name} ${++again}`, role });
  });
  const made = await created(service, `/api/users/${id}/tokens`, { name: 'test' });
  return { id, token: made.token, tokenId: made.id, headers: { authorization: `Bearer ${made.token}` } };
}

async function created(service: Client, route: string, body: object): Promise<{ id: string; token: string }> {
  const response = await service.request(route, { method: 'POST', body: JSON.stringify(body) });
  if (response.status !== 201) throw new Error(`${response.status}: ${await response.text()}`);
  return (await response.json()) as { id: string; token: string };
}
