import { afterAll, beforeAll, expect, test } from 'vitest';
import { CHAT_CHANNELS } from '#domain/chat/chat-channel.ts';
import type { Channel } from '#domain/thread/turn.ts';
import { isPossible } from '../sandbox/guest.ts';
import { WAYS_IN } from './ways-in.ts';
import { WAYS_OUT } from './ways-out.ts';
import { startWorld, type World } from './world.ts';

let world: World;
beforeAll(async () => {
  world = await startWorld({
    settings: { SANDBOX: 'auto', SEARCH_ENGINE: 'searxng', SEARCH_URL: 'https://search.example.com' },
  });
});
afterAll(() => world.close());

/** What each built-in tool could do for an attacker: the way out that tries it, or why there is none. */
const TOOLS: Record<string, { readonly out: string } | { readonly harmless: string }> = {
  reborn_time: { harmless: 'computes' },
  reborn_agent_run: { harmless: 'starts a run with the same walls and no more rights: subagents.test.ts' },
  reborn_web_fetch: { out: 'another host' },
  reborn_web_search: {
    harmless: 'sends words to the engine of the operator alone: test/journeys/tools/web-search.test.ts',
  },
  reborn_research: { harmless: 'always asks, and opens nothing itself: test/journeys/tools/research.test.ts' },
  skill_list: { harmless: 'reads what the operator or the person wrote' },
  skill_read: { harmless: 'reads what the operator or the person wrote' },
  reborn_file_list: { harmless: 'reads' },
  reborn_file_read: { harmless: 'reads' },
  reborn_file_find: { harmless: 'reads' },
  reborn_file_write: { harmless: "makes a version of the thread's own files, which keeps its origin" },
  reborn_file_edit: { harmless: "makes a version of the thread's own files, which keeps its origin" },
  reborn_file_present: { harmless: 'shows a file to the person alone' },
  reborn_document_search: { harmless: 'reads' },
  reborn_document_read: { harmless: 'reads' },
  reborn_store_search: { harmless: 'reads' },
  ...(isPossible && {
    reborn_shell: {
      harmless: "runs without network, on the thread's own files, which keep their origin: files.test.ts",
    },
    reborn_python: {
      harmless: "runs without network, on the thread's own files, which keep their origin: files.test.ts",
    },
  }),
  memory_search: { harmless: 'reads' },
  memory_read: { harmless: 'reads' },
  memory_write: { out: "the person's note" },
  memory_delete: { out: 'the end of a note' },
  mission_preview: { harmless: 'computes' },
  mission_list: { harmless: 'reads' },
  mission_create: { out: 'a mission' },
  mission_update: { harmless: 'always asks, in test/red-team' },
  mission_pause: { harmless: 'always asks' },
  mission_run: { harmless: 'always asks, in test/red-team' },
  mission_delete: { harmless: 'always asks, in test/red-team' },
};

/** How a text by others comes in by each channel; the compiler wants a row for each. */
const CHANNELS: Record<Channel, string> = {
  responses: "a caller's tool",
  'chat-completions': "a caller's tool",
  gateway: 'an uploaded text',
  webhook: 'an event',
  mission: 'a mail in the mailbox',
  telegram: 'a forwarded message',
  slack: 'a forwarded message',
  mail: 'a forwarded message',
};

test('every built-in tool has a row, with a way out that is tried', async () => {
  type Listed = { tools: { name: string; source: string }[] };
  const { tools } = (await (await world.service.request('/api/tools')).json()) as Listed;
  const own = world.tools.map(({ definition }) => definition.name);
  const builtIn = tools.filter(({ name, source }) => source === 'builtin' && !own.includes(name));
  expect(builtIn.map(({ name }) => name).toSorted()).toEqual(Object.keys(TOOLS).toSorted());
  const tried = WAYS_OUT.map(({ title }) => title);
  expect(Object.values(TOOLS).flatMap((row) => ('out' in row && !tried.includes(row.out) ? row.out : []))).toEqual([]);
});

test('every channel has a row, with a way in that is tried', () => {
  const tried = WAYS_IN.map(({ title }) => title);
  expect(Object.values(CHANNELS).filter((way) => !tried.includes(way))).toEqual([]);
  expect(Object.keys(CHANNELS)).toEqual(expect.arrayContaining([...CHAT_CHANNELS]));
});
