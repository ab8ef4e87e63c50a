import { globSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const LOOKS_INSIDE = /\b(body|request)(::jsonb?)? *(->|#>|@>)/;

test('no statement looks inside the JSON of an item or a request, where a null character makes it fail', () => {
  const files = globSync(['src/**/*.{ts,sql}', 'migrations/**/*.{ts,sql}'], { exclude: ['**/*.test.ts'] });
  expect(files.length).toBeGreaterThan(500);
  expect(files.filter((file) => LOOKS_INSIDE.test(readFileSync(file, 'utf8')))).toEqual([]);
  expect(["body->>'type'", "a.request::json ->> 'temporary'"].every((each) => LOOKS_INSIDE.test(each))).toBe(true);
});
