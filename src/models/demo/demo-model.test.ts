import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { text } from '#domain/thread/item.ts';
import type { ToolDefinition } from '#domain/tool/tool.ts';
import type { PromptMessage } from '../model.ts';
import { createDemoModel } from './demo-model.ts';

const time: ToolDefinition = { name: 'reborn_time', description: 'Tells the time.', parameters: null, strict: null };

test('the demo model says what it is and how to set a real model', async () => {
  const { text: said, calls } = await ask([user('Hello there')]);

  expect(said).toContain('demo model');
  expect(said).toContain('“Hello there”');
  expect(said).toContain('`reborn init`');
  expect(said).toContain('Settings, Models');
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

test('the demo model tells the time of the place it is asked for, or says that it can not', async () => {
  const asks = async (question: string, ...results: PromptMessage[]) => ask([user(question), ...results], [time]);
  const callOf = async (question: string) =>
    (await asks(question)).calls.map(({ arguments: given }) => JSON.parse(given));

  expect(await callOf('What time is it?')).toEqual([{}]);
  expect(await callOf("What's the time in New York?")).toEqual([{ time_zone: 'America/New_York' }]);
  expect(await callOf('What time is it in tokyo')).toEqual([{ time_zone: 'Asia/tokyo' }]);
  expect(await callOf('What time is it in Europe/Oslo?')).toEqual([{ time_zone: 'Europe/Oslo' }]);
  const unknown = await asks('What time is it in Bergen?');
  expect(unknown.calls).toEqual([]);
  expect(unknown.text).toContain('I do not know the time zone of Bergen.');

  const told = result(
    '{"utc":"2026-11-19T14:30:00.000Z","time_zone":"Asia/Tokyo","local":"Thursday 19 November, 23:30"}',
  );
  expect((await asks('What time is it in Tokyo?', told)).text).toBe(
    'In Tokyo (Asia/Tokyo) it is Thursday 19 November, 23:30.',
  );
  expect((await ask([user('What time is it?')])).text).toBe('I was offered no clock, so I do not know the time.');
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

const STARTERS = [
  'Save a note that I prefer short answers, and ask me first.',
  'Remind me tomorrow at 08:00 ({zone}) to plan the day.',
  'Make a chart of six months of sales. Invent the numbers.',
  'What is in this file?',
];
const offered = [
  'memory_write',
  'reborn_time',
  'mission_preview',
  'mission_create',
  'reborn_python',
  'reborn_file_present',
].map((name) => ({
  ...time,
  name,
}));

test.each(['en', 'de', 'nb'])('the demo model knows the starters of the first page in %s', async (language) => {
  const texts = language === 'en' ? undefined : await readFile(`web/locales/${language}.po`, 'utf8');
  const inLanguage = (sentence: string) => {
    const [, said = sentence] = new RegExp(`^msgid ${quoted(sentence)}\nmsgstr "(.+)"$`, 'm').exec(texts ?? '') ?? [];
    return said.replace('{zone}', 'America/Argentina/Ushuaia');
  };
  const [note, mission, chart, file] = STARTERS.map(inLanguage);
  const firstCall = async (said = '') => (await ask([user(said)], offered)).calls.map(({ name }) => name);

  expect(await firstCall(note)).toEqual(['memory_write']);
  expect(await firstCall(mission)).toEqual(['reborn_time']);
  expect(await firstCall(chart)).toEqual(['reborn_python']);
  const attached = {
    type: 'file' as const,
    filename: 'costs.csv',
    mediaType: 'text/csv',
    base64: btoa('month,eur\n1,5\n'),
  };
  const { text: said } = await ask([{ role: 'user', content: [text(file ?? ''), attached] }], offered);
  expect(said).toContain('costs.csv');
  expect(said).toContain('month,eur / 1,5');
  expect((await ask([user(file ?? '')], offered)).text).not.toContain('demo');
  for (const sentence of [note, mission, chart])
    expect((await ask([user(sentence ?? '')])).text).not.toMatch(/You said|^$/); // without the tools
});

test('a mission of the demo model is for the next day where the person is', async () => {
  const zone = 'Pacific/Auckland';
  const history: PromptMessage[] = [user(`Remind me tomorrow at 08:00 (${zone}) to plan the day.`)];
  const answer = async (name: string, output: object) => {
    history.push({ role: 'tool', callId: 'c', name, output: [text(JSON.stringify(output))] });
    const [call] = (await ask(history, offered)).calls;
    return { name: call?.name, given: JSON.parse(call?.arguments ?? '{}') as object };
  };

  const schedule = { at: '2026-03-02T08:00', time_zone: zone };
  expect(await answer('reborn_time', { utc: '2026-02-28T20:00:00.000Z' })).toEqual({
    name: 'mission_preview',
    given: { schedule },
  });
  const preview = { schedule_words: 'once', next_times: ['2026-03-01T19:00:00.000Z'] };
  expect(await answer('mission_preview', preview)).toEqual({
    name: 'mission_create',
    given: { name: 'Reminder: plan the day', instruction: 'Remind me to plan the day.', schedule, ...preview },
  });
  history.push({ role: 'tool', callId: 'c', name: 'mission_create', output: [text('{"id":"m1"}')] });
  expect((await ask(history, offered)).text).toContain(`It runs tomorrow at 08:00 (${zone})`);
  expect((await ask([user('Remind me to plan the day.')], offered)).text).toBe('It is time to plan the day.');
});

test('a denied call is over, and an error is named', async () => {
  const note = user('Save a note that I prefer short answers, and ask me first.');
  const after = async (output: string): Promise<string> =>
    (await ask([note, { role: 'tool', callId: 'c', name: 'memory_write', output: [text(output)] }], offered)).text;

  expect(await after('{"path":"notes/i-prefer-short-answers"}')).toContain('“I prefer short answers.”');
  expect(await after('Not run: denied. No.')).toBe('You denied it, so nothing was saved.');
  expect(await after('{"error":"The memory is full."}')).toContain('The memory is full.');
});

const quoted = (words: string) => JSON.stringify(words).replaceAll(/[.?{}()]/g, '\\$&');

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
