import { expect, test } from 'vitest';
import { checkInput, type QuestionField } from './question.ts';

const field = (name: string, more: Partial<QuestionField>): QuestionField => ({
  name,
  title: name,
  description: '',
  type: 'text',
  required: false,
  options: [],
  min: null,
  max: null,
  ...more,
});
const options = ['a', 'b', 'c'].map((value) => ({ value, label: value }));
const fields = [
  field('name', { required: true, min: 2, max: 10 }),
  field('age', { type: 'integer', min: 1, max: 99 }),
  field('share', { type: 'number' }),
  field('agree', { type: 'boolean' }),
  field('one', { type: 'choice', options }),
  field('some', { type: 'choices', options, max: 2 }),
];

test('values that fit their fields are accepted, and optional fields can be missing', () => {
  const input = { name: 'Ann', age: 7, share: 0.5, agree: false, one: 'b', some: ['a', 'c'] };
  expect(checkInput({ fields }, input)).toEqual(input);
  expect(checkInput({ fields }, { name: 'Ann' })).toEqual({ name: 'Ann' });
  expect(checkInput({ fields: [] }, {})).toEqual({});
});

test.each([
  [{}, 'name is missing'],
  [{ name: 'A' }, 'at least 2'],
  [{ name: 'A'.repeat(11) }, 'at most 10'],
  [{ name: 7 }, 'must be a text'],
  [{ name: 'Ann', age: 1.5 }, 'whole number'],
  [{ name: 'Ann', age: 100 }, 'at most 99'],
  [{ name: 'Ann', share: '1' }, 'must be a number'],
  [{ name: 'Ann', share: Number.NaN }, 'must be a number'],
  [{ name: 'Ann', agree: 'yes' }, 'true or false'],
  [{ name: 'Ann', one: 'z' }, 'one of the choices'],
  [{ name: 'Ann', some: ['a', 'z'] }, 'some of the choices'],
  [{ name: 'Ann', some: ['a', 'b', 'c'] }, 'at most 2'],
  [{ name: 'Ann', more: 1 }, 'not asked for'],
  [{ name: 'Ann', ['__proto__x']: 1 }, 'not asked for'],
])('%j is refused: %s', (input, message) => {
  expect(() => checkInput({ fields }, input)).toThrow(message);
});
