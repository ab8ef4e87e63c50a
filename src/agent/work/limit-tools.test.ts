import { expect, test } from 'vitest';
import { type AppliedSettings, USUAL_SETTINGS, type WorkSettings } from '#domain/work/work-settings.ts';
import { flowOf, INERT, type Tool, type ToolContext, type ToolSet } from '#tools/tool.ts';
import { limitTools } from './limit-tools.ts';

const WEB = ['reborn_web_search', 'reborn_web_fetch'];
const NAMES = [
  'reborn_time',
  'mission_list',
  'memory_read',
  'memory_write',
  'memory_delete',
  'skill_read',
  'skill_list',
];
const ANSWERS: Record<string, string> = {
  skill_list: JSON.stringify({
    skills: [
      { name: 'tax', description: '' },
      { name: 'art', description: '' },
    ],
  }),
};

const toolOf = (name: string): Tool => ({
  definition: { name, description: 'does it', parameters: null, strict: null },
  repeatable: true,
  flow: { reads: {}, runs: 'clean' },
  call: async () => ANSWERS[name] ?? 'done',
});
const ALL: ToolSet = {
  find: (name) => (NAMES.includes(name) ? toolOf(name) : undefined),
  definitions: () => NAMES.map((name) => toolOf(name).definition),
};

const work = (settings: Partial<WorkSettings>, from: AppliedSettings['from'] = 'assistant'): AppliedSettings => ({
  from,
  id: 'id',
  name: 'research',
  folder: 'assistants/research',
  settings: { ...USUAL_SETTINGS, ...settings },
});
const limited = (...applied: AppliedSettings[]) => limitTools(ALL, { work: applied });
const namesOf = (tools: ToolSet) => tools.definitions().map(({ name }) => name);
const call = (tools: ToolSet, name: string, given: object) =>
  tools.find(name)?.call(JSON.stringify(given), {} as ToolContext);

test('a turn without settings has all tools, and one with a list has no other', () => {
  expect(limited()).toBe(ALL);
  const tools = limited(work({ tools: ['reborn_time', 'skill_read', 'unknown'] }));
  expect(namesOf(tools)).toEqual(['reborn_time', 'skill_read']);
  expect(tools.find('memory_read')).toBeUndefined();
});

test('a message without the web has no tool that searches it or opens its pages', () => {
  const tools: ToolSet = { find: toolOf, definitions: () => [...NAMES, ...WEB].map((name) => toolOf(name).definition) };
  expect(namesOf(limitTools(tools, { work: [], withoutWeb: true }))).toEqual(NAMES);
  expect(limitTools(tools, { work: [], withoutWeb: true }).find('reborn_web_fetch')).toBeUndefined();
});

test('a run of a mission has no tools for missions, and can end without a message', () => {
  const tools = limited(work({ tools: ['reborn_time', 'mission_list'] }, 'mission'));
  expect(namesOf(tools)).toEqual(['reborn_time', 'mission_no_result']);
  expect(tools.find('mission_list')).toBeUndefined();
  expect(tools.find('mission_no_result')).toBeDefined();
});

test('without memory there are no tools of it, and with memory to read there are none that write', () => {
  expect(namesOf(limited(work({ memory: 'none' }))).filter((name) => name.startsWith('memory_'))).toEqual([]);
  expect(namesOf(limitTools(ALL, { work: [], temporary: true })).join(' ')).not.toContain('memory_');
  const kept = namesOf(ALL).filter((name) => name !== 'memory_write');
  expect(namesOf(limitTools(ALL, { work: [], remembers: false }))).toEqual(kept);
  expect(namesOf(limited(work({ memory: 'read' }))).filter((name) => name.startsWith('memory_'))).toEqual([
    'memory_read',
  ]);
});

test('notes are written only below the folder of their own, also by another spelling', async () => {
  const tools = limited(work({ memory: 'own' }));
  expect(await call(tools, 'memory_write', { path: 'Assistants/ Research/prices', text: '' })).toBe('done');
  for (const path of ['people/ann', 'identity/user', 'assistants/research', 'assistants/research-2/a'])
    expect(await call(tools, 'memory_delete', { path })).toContain('only below assistants/research/');
  const write = tools.find('memory_write');
  expect(flowOf(write, JSON.stringify({ path: 'identity/user' }))).toBe(INERT); // no approval for what does nothing
  expect(flowOf(write, JSON.stringify({ path: 'assistants/research/a' })).runs).toBe('clean');
  expect(write?.definition.description).toBe('does it');
  expect(tools.definitions().find(({ name }) => name === 'memory_write')?.description).toContain(
    'assistants/research/',
  );
});

test('only listed skills can be read and are listed', async () => {
  const tools = limited(work({ skills: ['tax'] }));
  expect(await call(tools, 'skill_read', { name: 'tax' })).toBe('done');
  expect(await call(tools, 'skill_read', { name: 'art' })).toContain('does not exist');
  expect(await call(tools, 'skill_list', {})).toBe(JSON.stringify({ skills: [{ name: 'tax', description: '' }] }));
});
