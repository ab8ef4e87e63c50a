import { expect, test } from 'vitest';
import { renderLogLine } from './render-log-line.ts';

const time = new Date(2026, 0, 2, 3, 4, 5).getTime();
const lineOf = (fields: object) => renderLogLine(JSON.stringify({ time, pid: 1, hostname: 'h', ...fields }));

test.each([
  [{ level: 30, msg: 'Ready.' }, '03:04:05  Ready.'],
  [{ level: 30, msg: 'Ready.', url: 'http://x', turns: 2 }, '03:04:05  Ready.  (url=http://x, turns=2)'],
  [{ level: 40, msg: 'Slow.' }, '03:04:05  warning: Slow.'],
  [
    { level: 50, msg: 'No model', err: { message: 'fetch failed', cause: { message: 'ECONNREFUSED' } } },
    '03:04:05  error: No model: fetch failed: ECONNREFUSED',
  ],
  [{ level: 50, msg: 'Gone.', err: { message: 'Gone.' } }, '03:04:05  error: Gone.'],
  [{ level: 60, err: { message: 'Out of memory.' } }, '03:04:05  fatal: Out of memory.'],
])('%j reads as %j', (fields, expected) => expect(lineOf(fields)).toBe(expected));
