import { expect, test } from 'vitest';
import { fillTemplate, findVariable, variablesOf } from './prompt-template.ts';

test('the variables of a template are listed once, and filled with values that are taken as they are', () => {
  const text = 'Write to {{name}} about {{ the topic }}. Dear {{name}}, {{}} {{{x';
  expect(variablesOf(text)).toEqual(['name', 'the topic']);
  expect(fillTemplate(text, { name: '{{the topic}} $1', constructor: 'no' })).toBe(
    'Write to {{the topic}} $1 about {{ the topic }}. Dear {{the topic}} $1, {{}} {{{x',
  );
  expect(fillTemplate('{{constructor}}', {})).toBe('{{constructor}}');
});

test('the next variable is found from a place on, then from the start', () => {
  const text = 'a {{b}} c {{d}}';
  expect(findVariable(text, 0)).toEqual({ start: 2, end: 7 });
  expect(findVariable(text, 3)).toEqual({ start: 10, end: 15 });
  expect(findVariable(text, 15)).toEqual({ start: 2, end: 7 });
  expect(findVariable('none', 0)).toBeUndefined();
});
