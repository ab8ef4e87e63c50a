import { expect, test } from 'vitest';
import type { ThreadId, WorkspaceId } from '#domain/ids.ts';
import { readNothing } from '#domain/tool/read-so-far.test-support.ts';
import type { Strength } from '#sandbox/sandbox.ts';
import { flowOf, type Tool } from '../../tool.ts';
import { createCodeTools, wantsNetwork } from './code-tools.ts';
import type { CodeNetwork } from './network.ts';

const owner = { userId: 'ann' };
const place = { thread: 't' as ThreadId, workspace: 'w' as WorkspaceId };
const strength: Strength = {
  rung: 'bubblewrap',
  layers: ['network'],
  environment: { digest: 'd', python: '3', libraries: [], programs: [], missing: [] },
};
const NETWORK = '{"command":"curl","network":true}';

/** The tools of a thread that allows network, or not. */
async function open({ hosts = ['a.example'], isAllowed = true, version = 0 } = {}) {
  const network: CodeNetwork = { hosts, isAllowed: async () => isAllowed, open: () => Promise.reject(new Error()) };
  const { current, ofThread } = createCodeTools({
    sandboxes: { strength: async () => strength, open: () => Promise.reject(new Error()) },
    versionOf: async () => version,
    network,
  });
  return { fixed: await current(), tools: await ofThread(owner, place) };
}

const propertiesOf = ({ definition }: Tool) =>
  Object.keys((definition.parameters as { properties: object }).properties);
const nameOf = ({ definition }: Tool) => definition.name;

test('the tools come, change and go with the sandbox, and an approval applies to its environment', async () => {
  let now: Strength = { rung: 'none', layers: [], why: 'It is not installed.' };
  const sandboxes = { strength: async () => now, open: () => Promise.reject(new Error('not asked')) };
  const { current } = createCodeTools({ sandboxes, versionOf: async () => 4 });
  expect(await current()).toEqual([]);

  now = strength;
  const tools = await current();
  expect(tools.map(({ definition, revision }) => [definition.name, revision])).toEqual([
    ['reborn_shell', 'd'],
    ['reborn_python', 'd'],
  ]);
  expect(await tools[0]?.state?.(owner, place.workspace)).toBe('4');
  now = { ...strength };
  expect(await current()).toBe(tools);

  now = { ...strength, environment: { digest: 'two', python: '3', libraries: [], programs: [], missing: [] } };
  expect((await current()).map(({ revision }) => revision)).toEqual(['two', 'two']);
  now = { ...strength, layers: [], why: 'It has lost the network.' };
  expect(await current()).toEqual([]);
});

test('the parameter exists only in a thread that allows network', async () => {
  const { fixed, tools } = await open();
  expect(tools.map(nameOf)).toEqual(fixed.map(nameOf));
  for (const tool of fixed) expect(propertiesOf(tool)).not.toContain('network');
  for (const tool of tools) {
    expect(propertiesOf(tool)).toContain('network');
    expect(tool.definition.description).toContain('https to a.example and to nothing else');
  }
  expect((await open({ isAllowed: false })).tools).toEqual([]);
});

test.each([
  ['nothing was read', readNothing(), 0, 'runs'],
  ['text by others was read', readNothing({ situation: 'foreign' }), 0, 'asks'],
  ['both were read', readNothing({ situation: 'both', hasPrivate: true }), 0, 'asks'],
  ['private data was read', readNothing({ hasPrivate: true }), 0, 'asks'],
  ['there are files', readNothing(), 3, 'asks'],
])('a call with network %s: it %s', async (_, read, version, expected) => {
  for (const tool of (await open({ version })).tools) {
    const { runs, inert, irreversible, hosts } = flowOf(tool, NETWORK);
    expect(typeof runs === 'function' && (await runs(NETWORK, read, owner))).toBe(expected);
    expect({ inert, irreversible, hosts }).toEqual({ inert: undefined, irreversible: true, hosts: ['a.example'] });
  }
});

test('a call without network is as everywhere, and one that the thread no longer allows is not repeated', async () => {
  const { fixed, tools } = await open();
  for (const tool of [...fixed, ...tools]) {
    expect(flowOf(tool, '{"command":"ls"}')).toMatchObject({ runs: 'always', inert: true });
    expect(flowOf(tool, '{"command":"ls"}').irreversible).toBe(undefined);
    expect(flowOf(tool, NETWORK).irreversible).toBe(true);
  }
});

test('an approval applies to the files and the hosts', async () => {
  const states = [{}, { version: 1 }, { hosts: ['b.example'] }].map(async (given) => {
    const { fixed, tools } = await open(given);
    return Promise.all([fixed[0], tools[0]].map(async (tool) => tool?.state?.(owner, place.workspace)));
  });
  expect(await Promise.all(states)).toEqual([
    ['0', '0 a.example'],
    ['1', '1 a.example'],
    ['0', '0 b.example'],
  ]);
});

test('a call wants network if the parameter says so', () => {
  expect(wantsNetwork(NETWORK)).toBe(true);
  expect(wantsNetwork('{"network":false,"network":true}')).toBe(true);
  for (const other of [
    '',
    '{}',
    '[]',
    'null',
    '{"network":false}',
    '{"network":"true"}',
    '{"network":1}',
    'network: true',
  ])
    expect(wantsNetwork(other)).toBe(false);
});
