import { expect, test } from 'vitest';
import { paramsProblem } from './params-problem.ts';

const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);

test.each([
  '',
  '{}',
  'no JSON',
  nested(64),
  `{"a":"${'['.repeat(1000)}"}`,
  String.raw`{"a":"\"${'{'.repeat(99)}"}`,
  'x'.repeat(262_144),
])('the tool itself looks at %.20s', (params) => {
  expect(paramsProblem(params)).toBeUndefined();
});

test('what is too deep or too large never gets to it', () => {
  expect(paramsProblem(nested(65))).toContain('64 levels');
  expect(paramsProblem('"\\"" , '.repeat(3) + nested(65))).toContain('64 levels');
  expect(paramsProblem('x'.repeat(262_145))).toContain('256 KiB');
  expect(paramsProblem('ü'.repeat(131_073))).toContain('256 KiB');
});
