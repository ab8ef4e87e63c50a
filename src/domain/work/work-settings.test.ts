import { expect, test } from 'vitest';
import { isListed, type MemoryScope, memoryRightsOf, USUAL_SETTINGS, type WorkSettings } from './work-settings.ts';

const applied = (...each: Partial<WorkSettings>[]) =>
  each.map((settings, index) => ({ folder: `folder-${index}`, settings: { ...USUAL_SETTINGS, ...settings } }));

test('settings only narrow: a tool must be in every list', () => {
  const two = applied({ tools: ['reborn_time', 'reborn_web_fetch'] }, {}, { tools: ['reborn_time', 'memory_read'] });
  expect(['reborn_time', 'reborn_web_fetch', 'memory_read'].filter((name) => isListed('tools', name, two))).toEqual([
    'reborn_time',
  ]);
  expect(isListed('tools', 'reborn_time', applied({ tools: [] }))).toBe(false);
  expect(isListed('skills', 'any', applied({}))).toBe(true);
});

test.each<[MemoryScope[], ReturnType<typeof memoryRightsOf>]>([
  [[], { reads: true, writes: true, below: null }],
  [['shared'], { reads: true, writes: true, below: null }],
  [['shared', 'own'], { reads: true, writes: true, below: 'folder-1' }],
  [['own', 'own'], { reads: true, writes: true, below: 'folder-1' }],
  [['read', 'own'], { reads: true, writes: false, below: 'folder-1' }],
  [['none', 'shared'], { reads: false, writes: false, below: null }],
])('of the memory scopes %j, the narrowest holds', (scopes, rights) => {
  expect(memoryRightsOf(applied(...scopes.map((memory) => ({ memory }))))).toEqual(rights);
});
