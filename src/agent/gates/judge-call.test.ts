import { expect, test } from 'vitest';
import type { ItemId } from '#domain/ids.ts';
import type { GatedCall } from '#domain/tool/gate.ts';
import { readNothing } from '#domain/tool/read-so-far.test-support.ts';
import type { ToolLevel } from '#domain/tool/tool.ts';
import { INERT, type JudgeCall, type Tool } from '#tools/tool.ts';
import { type CallFacts, judgeCall } from './judge-call.ts';

const call: GatedCall = {
  id: 'i' as ItemId,
  type: 'function_call',
  external: false,
  callId: 'call_1',
  name: 'send',
  arguments: '{"to":"ann"}',
};

async function level(own: Tool['level'], facts: { set?: ToolLevel; always?: boolean } = {}, name = 'send') {
  const definition = { name, description: null, parameters: null, strict: null };
  const tool: Tool = { definition, repeatable: true, call: async () => '', ...(own && { level: own }) };
  return (await judgeCall(tool, call, factsFor(facts))).level;
}

const factsFor = ({ set, always = false, ...more }: Wanted): CallFacts => ({
  owner: { userId: 'ann' },
  read: readNothing(),
  operatorLevel: async () => set && { level: set, after: 'clean' },
  isAlwaysApproved: async () => always,
  isResearch: async () => false,
  isSiteGranted: async () => false,
  ...more,
});

type Wanted = Partial<CallFacts> & { readonly set?: ToolLevel; readonly always?: boolean };

test.each<[own: ToolLevel | undefined, set: ToolLevel | undefined, always: boolean, expected: ToolLevel]>([
  [undefined, undefined, false, 'ask'],
  [undefined, undefined, true, 'allow'],
  ['ask', undefined, true, 'allow'],
  ['allow', undefined, false, 'allow'],
  ['never', undefined, true, 'never'],
  ['allow', 'ask', true, 'ask'],
  ['allow', 'never', true, 'never'],
  ['never', 'allow', false, 'allow'],
  ['ask', 'allow', false, 'allow'],
])('a tool that says %s, an operator who says %s, and "always" %s make %s', async (own, set, always, expected) => {
  expect(await level(own, { ...(set && { set }), always })).toBe(expected);
});

test('a call that runs says what lets it run', async () => {
  const judged = async (flow: Tool['flow'], facts: Wanted, own: ToolLevel = 'allow') => {
    const definition = { name: 'send', description: null, parameters: null, strict: null };
    const tool: Tool = { definition, repeatable: true, level: own, call: async () => '', ...(flow && { flow }) };
    return (await judgeCall(tool, call, factsFor(facts))).by;
  };
  const foreign = { read: readNothing({ situation: 'foreign' }) };
  const link: JudgeCall = () => ({ kind: 'link', site: 'news.example' });

  expect(await judged(undefined, {})).toBe('clean');
  expect(await judged({ reads: {}, runs: () => 'runs' }, {})).toBe('clean');
  expect(await judged({ reads: {}, runs: () => 'runs' }, foreign)).toBe('tool');
  expect(await judged(INERT, foreign)).toBe('tool');
  expect(await judged({ reads: {}, runs: link }, { ...foreign, isSiteGranted: async () => true })).toBe('site');
  const covered: JudgeCall = (_json, read) =>
    read.isResearch ? 'runs' : { kind: 'repeated', site: 'news.example', reason: 'many' };
  expect(await judged({ reads: {}, runs: covered }, { ...foreign, isResearch: async () => true })).toBe('research');
  expect(await judged({ reads: {}, runs: covered }, foreign)).toBeUndefined();
  expect(await judged(undefined, { ...foreign, always: true })).toBe('always');
  expect(await judged(undefined, { set: 'allow' }, 'ask')).toBe('policy');
  expect(await judged(undefined, foreign)).toBeUndefined();
});

test("a tool's name does not change its level", async () => {
  expect(await level(undefined, {}, 'memory_write')).toBe('ask');
  expect(await level(undefined, {}, 'skill_read')).toBe('ask');
});

test('a tool may decide each call by its arguments and by what was read', async () => {
  const definition = { name: 'send', description: null, parameters: null, strict: null };
  const runs: JudgeCall = (json, { ownTexts }) =>
    ownTexts.some((said) => said.includes((JSON.parse(json) as { to: string }).to)) ? 'runs' : 'asks';
  const tool: Tool = { definition, repeatable: true, level: 'allow', flow: { reads: {}, runs }, call: async () => '' };
  const after = async (said: string) =>
    (await judgeCall(tool, call, factsFor({ read: readNothing({ ownTexts: [said] }) }))).level;

  expect(await after('Write to ann.')).toBe('allow');
  expect(await after('Write to bob.')).toBe('ask');
});

test("the operator's allow does not cover an unreviewed version, but their never does", async () => {
  const definition = { name: 'send', description: null, parameters: null, strict: null };
  const tool: Tool = { definition, repeatable: false, unreviewed: true, call: async () => '' };
  const levelFor = async (set: ToolLevel, always: boolean) =>
    (await judgeCall(tool, call, factsFor({ set, always }))).level;

  expect(await levelFor('allow', false)).toBe('ask');
  expect(await levelFor('allow', true)).toBe('allow'); // given for this version
  expect(await levelFor('never', true)).toBe('never');
});
