import { expect, test } from 'vitest';
import { directionOf, pickLanguage } from './language.ts';

test.each([
  [['de-AT', 'en'], 'de'],
  [['nn-NO'], 'nb'],
  [['no', 'de'], 'nb'],
  [['fr-FR', 'de-DE'], 'de'],
  [['fr'], 'en'],
  [[], 'en'],
])('a browser that asks for %s gets %s', (wanted, language) => {
  expect(pickLanguage(wanted)).toBe(language);
});

test('a language is written in its direction', () => {
  expect(['en', 'de', 'nb', 'ar', 'he-IL', 'haw'].map(directionOf)).toEqual(['ltr', 'ltr', 'ltr', 'rtl', 'rtl', 'ltr']);
});
