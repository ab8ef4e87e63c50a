import { expect, test } from 'vitest';
import { markMath } from './math-delimiters.ts';

test('formulas between any of the usual signs are marked', () => {
  expect(markMath('so \\(a^2\\) is')).toBe('so $$a^2$$ is');
  expect(markMath('so $E = mc^2$ and $x$.')).toBe('so $$E = mc^2$$ and $$x$$.');
  expect(markMath('it is\n\\[\n\\int_0^1 x\\,dx\n\\]\nthen').trim()).toBe(
    'it is\n\n\n$$\n\\int_0^1 x\\,dx\n$$\n\n\nthen',
  );
  expect(markMath('\\[ a[0] + b[1] \\]').trim()).toBe('$$\na[0] + b[1]\n$$');
  expect(markMath('$$x + 1$$').trim()).toBe('$$\nx + 1\n$$');
  expect(markMath('$$\nx + 1\n$$')).toBe('$$\nx + 1\n$$');
});

test('amounts, variables of a shell and code are not formulas', () => {
  for (const text of [
    'from $5 to $10',
    '$5-$10 each',
    'costs $5 (was $7), or US$9',
    'set $HOME/$USER first',
    '`$a + b$` and `\\(x\\)`',
    '```sh\necho $a = $b\n```\nthen',
    '~~~\n\\[ x \\]',
    'a [link](x) \\[not closed',
    'plain',
  ])
    expect(markMath(text)).toBe(text);
});

test('a hostile text is read in linear time', () => {
  for (const text of [
    '$a'.repeat(50_000),
    '\\['.repeat(50_000),
    '\\[['.repeat(30_000),
    '`$'.repeat(50_000),
    '```\n'.repeat(30_000),
  ]) {
    const start = performance.now();
    markMath(text);
    expect(performance.now() - start).toBeLessThan(1500);
  }
});
