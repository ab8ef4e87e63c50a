import { askSentence, didSentence, plainText, valuesOf } from '@reborn-agent/client/call-card';
import { expect, test } from 'vitest';
import { TOOL_SEARCH } from '../../search/deferred-tools.ts';
import type { Tool } from '../../tool.ts';
import { agentRunTool } from '../agent-run.ts';
import { CODE_TOOLS } from '../code/code-tools.ts';
import { documentTools } from '../documents/document-tools.ts';
import { fileTools } from '../files/file-tools.ts';
import { memoryTools } from '../memory-tools.ts';
import { missionTools } from '../mission-tools.ts';
import { skillListTool } from '../skill-list.ts';
import { skillReadTool } from '../skill-read.ts';
import { timeTool } from '../time.ts';
import { webFetchTool } from '../web-fetch.ts';
import { webSearchTool } from '../web-search.ts';
import { BUILTIN_CARDS } from './builtin-cards.ts';

const never = undefined as never;
const tools: readonly Tool[] = [
  ...memoryTools(never),
  ...missionTools(never),
  ...fileTools(never),
  ...documentTools(never),
  skillListTool(never),
  skillReadTool(never),
  timeTool(),
  agentRunTool(),
  webFetchTool(never, never),
  webSearchTool(never, never),
];
const LANGUAGES = ['en', 'de', 'nb'] as const;

/** A call of each tool with all kinds of its arguments. */
const SAMPLES: Readonly<Record<string, readonly object[]>> = {
  memory_search: [{ query: 'boat', limit: 3 }],
  memory_read: [{ path: 'people/ann' }],
  memory_write: [{ path: 'people/ann', text: 'Ann prefers short mails.', ask_first: true }],
  memory_delete: [{ path: 'people/ann' }],
  mission_preview: [{ schedule: { every_minutes: 60 } }],
  mission_list: [{}],
  mission_create: [
    {
      name: 'Morning summary',
      instruction: 'Summarise my notes.',
      schedule: { cron: '0 8 * * 1-5', time_zone: 'Europe/Oslo' },
      schedule_words: 'Every weekday at 08:00 (Europe/Oslo)',
      next_times: ['2026-11-19T07:00:00.000Z'],
    },
    { name: 'Hourly', instruction: 'x', schedule: { every_minutes: 60 }, schedule_words: 'y', next_times: [] },
  ],
  mission_update: [
    { id: 'm1', name: 'Evening summary' },
    { id: 'm1', instruction: 'Be brief.' },
  ],
  mission_pause: [
    { id: 'm1', paused: true },
    { id: 'm1', paused: false },
  ],
  mission_run: [{ id: 'm1' }],
  mission_delete: [{ id: 'm1' }],
  reborn_agent_run: [{ task: 'Compare the prices.' }, { task: 'Compare the prices.', budget: 1000 }],
  reborn_file_list: [{}, { pattern: '*.csv' }],
  reborn_file_read: [{ path: 'data/costs.csv', from_line: 1, lines: 10, pages: '1-2' }],
  reborn_file_write: [{ path: 'data/costs.csv', text: 'a,b' }],
  reborn_file_edit: [
    { path: 'a.txt', old: 'x', new: 'y' },
    { path: 'a.txt', old: 'x', new: 'y', all: true },
  ],
  reborn_file_find: [{ text: 'boat' }, { pattern: '^b', path: '*.txt' }],
  reborn_file_present: [{ paths: ['a.pdf', 'b.pdf'], title: 'Both' }],
  reborn_document_search: [{ query: 'notice period', file: 'lease.pdf' }],
  reborn_document_read: [{ file: 'lease.pdf', pages: '3-9' }],
  reborn_shell: [
    { title: 'Count', command: 'wc -l data.csv', timeout_s: 5 },
    { command: 'curl https://a.example', network: true },
  ],
  reborn_python: [
    { title: 'Sum', code: 'print(1)', reset: true },
    { code: 'print(1)', network: true },
  ],
  reborn_web_fetch: [
    { url: 'https://news.example/a?b=c', part: 'all', find: 'x', from: 0, page: 2, max_bytes: 200 },
    { source: 3 },
  ],
  reborn_web_search: [{ queries: ['ferry times', 'Hovedøya'], freshness: 'week', only: ['ruter.example'] }],
  reborn_time: [{}, { time_zone: 'Europe/Oslo' }],
  [TOOL_SEARCH]: [{ query: 'tickets' }],
  skill_list: [{}],
  skill_read: [{ name: 'minutes', file: 'SKILL.md' }],
};

test('every built-in tool has a card and a sample here', () => {
  const names = [...tools.map(({ definition }) => definition.name), ...CODE_TOOLS.map(({ name }) => name), TOOL_SEARCH];
  expect([...BUILTIN_CARDS.keys()].toSorted()).toEqual(names.toSorted());
  expect(Object.keys(SAMPLES).toSorted()).toEqual(names.toSorted());
});

test.each(
  Object.entries(SAMPLES).flatMap(([name, calls]) => calls.map((given) => [name, JSON.stringify(given)] as const)),
)('a call of %s with %s reads as a sentence in three languages, with labels for all values', (name, json) => {
  const call = { name, arguments: json, card: BUILTIN_CARDS.get(name) };
  const asked = LANGUAGES.map((language) => plainText(askSentence(call, { language, locales: ['en-GB'] })));
  const did = LANGUAGES.map((language) => plainText(didSentence(call, { language })));
  for (const sentence of asked) expect(sentence).toMatch(/^[^{}]*\?$/);
  for (const sentence of [...asked, ...did]) {
    expect(sentence).not.toContain(name);
    expect(sentence).not.toMatch(/[{}[\]]|\*\*|":/);
  }
  expect(new Set(asked).size).toBe(3);
  expect(new Set(did).size).toBe(3);
  expect((valuesOf(call) ?? []).filter(({ isKey }) => isKey)).toEqual([]);
});

test('a mission is named by its first run, and an id by its name', () => {
  const shown = (name: string, given: object | undefined, names = {}) =>
    plainText(
      askSentence(
        { name, arguments: JSON.stringify(given), card: { ...BUILTIN_CARDS.get(name), names } },
        { language: 'en', locales: ['en-GB'], zone: 'Europe/Oslo' },
      ),
    );
  expect(shown('mission_create', SAMPLES['mission_create']?.[0])).toBe(
    'Create the mission “Morning summary”, with its first run on Thu, 19 Nov 2026, 08:00 CET?',
  );
  expect(shown('mission_run', { id: 'm1' }, { id: 'Morning summary' })).toBe('Run the mission “Morning summary” now?');
  expect(shown('mission_run', { id: 'm1' }, { id: null })).toBe('Run the mission m1 now?');
});
