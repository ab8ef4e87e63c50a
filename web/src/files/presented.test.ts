import type { Output } from '@reborn-agent/client/thread-state';
import type { CallEntry } from '@reborn-agent/client/turn-entries';
import { expect, test } from 'vitest';
import { presentedFiles } from './presented.ts';

const call = (given: unknown, name = 'reborn_file_present') =>
  ({ kind: 'call', name, arguments: typeof given === 'string' ? given : JSON.stringify(given) }) as CallEntry;
const outputOf = (...parts: Output['parts']) => ({ parts, at: 7 }) as Output;
const media_type = 'text/csv';
const text = { type: 'text', text: 'Shown to the user.' } as const;
const file = { type: 'file', filename: 'data/costs.csv', media_type, bytes: 3, url: null } as const;
const image = { type: 'image', media_type: 'image/png', bytes: 5, url: null } as const;

test('a file has its name from the output, and a picture from the arguments', () => {
  const paths = ['./data//costs.csv', '/workspace/./chart.png'];
  expect(presentedFiles(call({ paths }), outputOf(text, file, image))).toEqual([
    { path: 'data/costs.csv', bytes: 3, isPicture: false, at: 7 },
    { path: 'chart.png', bytes: 5, isPicture: true, at: 7 },
  ]);
});

test('other calls, calls that run and calls that failed show no files', () => {
  expect(presentedFiles(call({ paths: ['a.csv'] }, 'read_page'), outputOf(file))).toEqual([]);
  expect(presentedFiles(call({ paths: ['a.csv'] }), undefined)).toEqual([]);
  expect(presentedFiles(call('not JSON'), outputOf(text))).toEqual([]);
});
