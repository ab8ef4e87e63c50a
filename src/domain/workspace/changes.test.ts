import { expect, test } from 'vitest';
import type { AttachmentHash } from '../ids.ts';
import { ChangesRefused, checkChanges, describeChanges, inWords, moveChanges, realChanges } from './changes.ts';
import type { ChangedFile, WorkspaceFile } from './version.ts';

const change = (path: string, content: string | null, mode = 0o644): ChangedFile => ({
  path,
  sha256: content as AttachmentHash | null,
  bytes: content?.length ?? 0,
  mode,
});
const files = (contents: Readonly<Record<string, string>>): ReadonlyMap<string, WorkspaceFile> =>
  new Map(
    Object.entries(contents).map(([path, content]) => [
      path,
      { ...change(path, content), sha256: content as AttachmentHash, version: 1 },
    ]),
  );

test('leaves out unchanged files', () => {
  const now = files({ same: 'x', other: 'x', mode: 'x' });

  expect(
    realChanges(now, [change('same', 'x'), change('other', 'y'), change('mode', 'x', 0o755), change('gone', null)]),
  ).toEqual([change('other', 'y'), change('mode', 'x', 0o755)]);
});

test.each([
  ['too many bytes', { a: 'xxxxx' }, [change('b', 'xxxxxx')]],
  ['names that differ in case', { 'Data.csv': 'x' }, [change('data.csv', 'y')]],
  ['a file where a folder is', { 'a/b': 'x' }, [change('A', 'y')]],
  ['a folder where a file is', { a: 'x' }, [change('a/b', 'y')]],
  ['twins that come together', {}, [change('a', 'x'), change('A', 'y')]],
])('%s are refused', (_, now, changes) => {
  expect(() => checkChanges(files(now), changes, 10)).toThrow(ChangesRefused);
});

test('a file can be replaced by a folder, and by one of the same size when all is full', () => {
  const folder = [change('a', null), change('a/b', 'y')];
  const full = files({ a: '0123456789' });

  expect(() => checkChanges(files({ a: 'x' }), folder, 10)).not.toThrow();
  expect(() => checkChanges(full, [change('a', '9876543210')], 10)).not.toThrow();
});

test('changes of others are kept, and ours of the same file are put beside them', () => {
  const before = files({ both: 'old', theirs: 'old', removed: 'old', gone: 'old' });
  const now = files({ both: 'their', theirs: 'their', removed: 'their', added: 'their' });
  const ours = [
    change('both', 'ours'),
    change('removed', null),
    change('added', 'ours'),
    change('gone', 'ours'),
    change('new', 'ours'),
  ];

  expect(moveChanges(ours, before, now)).toEqual({
    changes: [
      change('both (agent)', 'ours'),
      change('added (agent)', 'ours'),
      change('gone', 'ours'),
      change('new', 'ours'),
    ],
    beside: new Map([
      ['both', 'both (agent)'],
      ['added', 'added (agent)'],
    ]),
  });
});

test('a line describes the changes', () => {
  const many = Array.from({ length: 22 }, (_, index) => change(`f${index}`, 'x'));

  expect(describeChanges(files({ b: 'x', c: 'x' }), [change('a', 'x'), change('b', 'y'), change('c', null)], 7)).toBe(
    'files: +a (1 bytes), ~b, -c; version 7',
  );
  expect(describeChanges(new Map(), many, 1)).toMatch(/f19 \(1 bytes\), and 2 more; version 1$/);
  expect([0, 999, 1000, 11_400, 256_000_000, 1e13].map(inWords)).toEqual([
    '0 bytes',
    '999 bytes',
    '1.0 kB',
    '11 kB',
    '256 MB',
    '10000 GB',
  ]);
});
