import type { ShownCall } from '@reborn-agent/client/call-card';
import { expect, test } from 'vitest';
import { foldedWords } from './step-words.ts';

const call = (name: string, path: string, ask: string, did: string): ShownCall => ({
  name,
  arguments: JSON.stringify({ path }),
  card: { templates: [{ ask: { en: ask, de: ask }, did: { en: did, de: did } }] },
});
const read = (path: string) => call('read', path, 'Read {path}?', '**Read** {path}');
const search = (path: string) => call('search', path, 'Search for {path}?', '**Searched** for {path}');
const english = { language: 'en' };

test('folded steps are one sentence, in which a verb that repeats is said once', () => {
  const calls = [read('a'), read('b'), read('a'), search('ferries'), read('c')];
  expect(foldedWords(calls, english)).toBe('Read “a”, “b”, searched for “ferries”, read “c”');
});

test('a German verb keeps its capital, because it begins with a noun', () => {
  const calls = [read('a'), call('find', 'b', 'Suchen?', '**Dateien gesucht:** {path}')];
  expect(foldedWords(calls, { language: 'de' })).toBe('Read „a“, Dateien gesucht: „b“');
});

test('a tool without words says its name, and its server when it has one', () => {
  const bare: ShownCall = { name: 'tracker__create', arguments: '{}', card: { server: 'tracker' } };
  expect(foldedWords([bare, read('a')], english)).toBe('Ran create of tracker, read “a”');
});
