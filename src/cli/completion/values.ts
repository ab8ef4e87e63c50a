import { type Client, createClient } from '@reborn-agent/client';
import { readConfig } from '#config/config.ts';
import { options } from '#config/options.ts';
import { findRunning } from '../connect/with-service.ts';
import { shortId } from '../find-named.ts';

/** A value, and words that say which one it is. */
type Value = readonly [value: string, words: string];

type Read = (client: Client) => Promise<readonly Value[]>;

const READERS = {
  thread: async (client) => {
    const { threads } = await client.call('GET /api/threads', { query: { limit: NEWEST } });
    return threads.map(({ id, title }) => [shortId(id), title]);
  },
  mission: async (client) =>
    (await client.call('GET /api/missions')).missions.map(({ id, name }) => [shortId(id), name]),
  gate: async (client) =>
    (await client.call('GET /api/gates', { query: { limit: NEWEST } })).gates.map(({ id, kind }) => [
      shortId(id),
      kind,
    ]),
  tool: async (client) => (await client.call('GET /api/tools')).tools.map(named),
  user: async (client) =>
    (await client.call('GET /api/users', { query: { limit: NEWEST } })).users.map(({ id, name }) => [id, name]),
  model: async (client) => (await client.call('GET /api/models')).models.map(({ id, name }) => [id, name]),
  project: async (client) =>
    (await client.call('GET /api/projects')).projects.map(({ id, name }) => [shortId(id), name]),
  assistant: async (client) => (await client.call('GET /api/assistants')).assistants.map(named),
  mcp: async (client) => (await client.call('GET /api/mcp')).servers.map(({ name, url }) => [name, url]),
  skill: async (client) => (await client.call('GET /api/skills')).skills.map(named),
} satisfies Record<string, Read>;

const NEWEST = 50;

const named = (each: { readonly name: string; readonly description: string | null }): Value => [
  each.name,
  each.description ?? '',
];

export type ValueKind = keyof typeof READERS | 'setting';

export const isValueKind = (word: string): word is ValueKind => word === 'setting' || Object.hasOwn(READERS, word);

/** The values that exist now. Pressing Tab starts no service, so without one there are none. */
export async function readValues(kind: ValueKind): Promise<readonly Value[]> {
  if (kind === 'setting') return Object.entries(options).map(([name, { help }]) => [name, help]);
  const locate = await findRunning(readConfig());
  return locate ? READERS[kind](createClient(locate)) : [];
}
