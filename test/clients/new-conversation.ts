import type { Target } from './features.ts';

/** For a client that continues conversations but has no call to create one. Returns the id. */
export async function newConversation({ baseURL, apiKey }: Target): Promise<string> {
  const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' };
  const created = await fetch(`${baseURL}/conversations`, { method: 'POST', headers, body: '{}' });
  return ((await created.json()) as { id: string }).id;
}
