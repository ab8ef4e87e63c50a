import { expect, test } from 'vitest';
import type { ItemId } from '#domain/ids.ts';
import type { GatedCall } from '#domain/tool/gate.ts';
import type { ToolLevel } from '#domain/tool/tool.ts';
import type { Tool } from '#tools/tool.ts';
import { levelOf } from './tool-policy.ts';

const call: GatedCall = {
  id: 'i' as ItemId,
  type: 'function_call',
  external: false,
  callId: 'call_1',
  name: 'send',
  arguments: '{"to":"ann"}',
};

function level(own: Tool['level'], facts: { set?: ToolLevel; always?: boolean; said?: string[] } = {}, name = 'send') {
  const definition = { name, description: null, parameters: null, strict: null };
  const tool: Tool = { definition, repeatable: true, call: async () => '', ...(own && { level: own }) };
  return levelOf(tool, call, {
    owner: { userId: 'ann' },
    userTexts: () => facts.said ?? [],
    operatorLevel: async () => facts.set,
    isAlwaysApproved: async () => facts.always ?? false,
  });
}

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

test("a tool's name does not change its level", async () => {
  expect(await level(undefined, {}, 'memory_write')).toBe('ask');
  expect(await level(undefined, {}, 'skill_read')).toBe('ask');
});

test('a tool may decide by the arguments, and by what the user has said', async () => {
  const byWords: Tool['level'] = (json, { userTexts }) =>
    userTexts().some((said) => said.includes((JSON.parse(json) as { to: string }).to)) ? 'allow' : 'ask';

  expect(await level(byWords, { said: ['Write to ann.'] })).toBe('allow');
  expect(await level(byWords, { said: ['Write to bob.'] })).toBe('ask');
});

test("the operator's allow does not cover an unreviewed version, but their never does", async () => {
  const definition = { name: 'send', description: null, parameters: null, strict: null };
  const tool: Tool = { definition, repeatable: false, unreviewed: true, call: async () => '' };
  const levelFor = (set: ToolLevel, always: boolean) =>
    levelOf(tool, call, {
      owner: { userId: 'ann' },
      userTexts: () => [],
      operatorLevel: async () => set,
      isAlwaysApproved: async () => always,
    });

  expect(await levelFor('allow', false)).toBe('ask');
  expect(await levelFor('allow', true)).toBe('allow'); // given for this version
  expect(await levelFor('never', true)).toBe('never');
});
