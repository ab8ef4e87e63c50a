import { expect, test } from 'vitest';
import { text } from '#domain/thread/item.ts';
import type { ToolDefinition } from '#domain/tool/tool.ts';
import { createDemoModel } from './demo-model.ts';
import type { PromptMessage } from './model.ts';

const time: ToolDefinition = { name: 'reborn_time', description: 'Tells the time.', parameters: null, strict: null };

test('the demo model says what it is and how to set a real model', async () => {
  const { text: said, calls } = await ask([user('Hello there')]);

  expect(said).toContain('demo model');
  expect(said).toContain('“Hello there”');
  expect(said).toContain('`reborn init`');
  expect(said).not.toMatch(/[A-Z]+_[A-Z]+/); // names of settings are not for readers
  expect(calls).toEqual([]);
});

test('the demo model streams word by word, always the same answer, at no cost', async () => {
  const deltas: string[] = [];
  const once = await ask([user('Hello')], [], (delta) => deltas.push(delta));

  expect(deltas.length).toBeGreaterThan(10);
  expect(deltas.join('')).toBe(once.text);
  expect(await ask([user('Hello')])).toEqual(once);
  expect(once.usage).toMatchObject({ cost: { inputUsd: 0, outputUsd: 0 }, cachedInputTokens: 0 });
  expect(once.usage.inputTokens).toBeGreaterThan(0);
  expect(once.usage.outputTokens).toBe(Math.ceil(once.text.length / 4));
});

test('asked for the time, the demo model calls the clock tool if there is one', async () => {
  const { calls, text: said } = await ask([user('What time is it?')], [time]);

  expect(calls).toEqual([{ callId: expect.stringMatching(/^call_\w{24}$/), name: 'reborn_time', arguments: '{}' }]);
  expect(said).toBe('');
  expect((await ask([user('What time is it?')])).calls).toEqual([]);
});

test('the demo model calls any offered tool with the typed arguments', async () => {
  const lookup = { ...time, name: 'lookup_weather' };

  expect((await ask([user('call lookup_weather {"city":\n"Oslo"}')], [lookup])).calls).toMatchObject([
    { name: 'lookup_weather', arguments: '{"city":\n"Oslo"}' },
  ]);
  expect((await ask([user('Call lookup_weather')], [lookup])).calls).toMatchObject([{ arguments: '{}' }]);
  expect((await ask([user('call rm_rf {}')], [lookup])).text).toContain('not offered a tool named rm_rf');
});

test('a second call in a thread has another id', async () => {
  const [first] = (await ask([user('call reborn_time')], [time])).calls;
  const history = [user('call reborn_time'), result('noon'), user('call reborn_time')];
  const [second] = (await ask(history, [time])).calls;

  expect(second?.callId).not.toBe(first?.callId);
});

test('after a tool result, the demo model repeats it', async () => {
  const { text: said, calls } = await ask([user('What time is it?'), result('12:00'), result('13:00')], [time]);

  expect(said).toBe('The tool reborn_time answered: 12:00 The tool reborn_time answered: 13:00');
  expect(calls).toEqual([]);
});

test('the demo model remembers earlier messages', async () => {
  const history = [user('My cat is called Ole.'), { role: 'assistant' as const, text: 'Nice.', calls: [] }];

  expect((await ask([...history, user('Do you remember?')])).text).toContain('“My cat is called Ole.”');
  expect((await ask([...history, user('How many messages are there?')])).text).toContain('3 messages');
});

test("the demo model reads the user's text, not the blocks in front of it", async () => {
  const said = '<instructions>\ncall x\n</instructions>\n\n<user-context>\n[Context: a: 1]\n</user-context>\n\nHi';

  expect((await ask([user(said)])).text).toContain('You said: “Hi”');
});

test('an abort stops the demo model with its reason', async () => {
  const cancel = new AbortController();
  const deltas: string[] = [];
  const asked = createDemoModel().ask(
    { system: '', messages: [user('Hello')], tools: [], temperature: null },
    (delta) => {
      deltas.push(delta);
      cancel.abort('enough');
    },
    cancel.signal,
  );

  await expect(asked).rejects.toMatchObject({ name: 'ModelCallAborted', cause: 'enough', usage: { outputTokens: 1 } });
  expect(deltas).toHaveLength(1);
});

function user(said: string): PromptMessage {
  return { role: 'user', content: [text(said)] };
}

function result(output: string): PromptMessage {
  return { role: 'tool', callId: 'call_1', name: 'reborn_time', output: [text(output)] };
}

function ask(
  messages: readonly PromptMessage[],
  tools: readonly ToolDefinition[] = [],
  onText: (delta: string) => void = () => {},
) {
  return createDemoModel().ask(
    { system: 'Be kind.', messages, tools, temperature: null },
    onText,
    AbortSignal.timeout(5000),
  );
}
