import { expect, test } from 'vitest';
import { figuresOf, toLine } from './watch-status.ts';

const queue = { queued: 3, running: 8, waiting: 1, oldest_seconds: 4 };
const replica = { id: 'a', started_at: '2026-11-16T10:00:00.000Z', running: 8, model: null, self: true };
const minutes = [
  { at: '2026-11-16T12:06:00.000Z', ended: 240, failed: 2, wait_ms: 120, duration_ms: 2340 },
  { at: '2026-11-16T12:07:00.000Z', ended: 5, failed: 0, wait_ms: 9, duration_ms: 9 },
];
const look = {
  at: new Date('2026-11-16T12:07:30.000Z'),
  replicas: { replicas: [replica], queue, deliveries: { open: 0, dead: 0, dead_last_day: 0 } },
  activity: { minutes },
};

test('a look shows the queue now, and the turns of the last full minute', () => {
  expect(figuresOf(look)).toMatchObject({ replicas: 1, ...queue, ended_last_minute: 240, wait_ms: 120 });
  expect(toLine(look)).toMatch(/:07:30 +1 +8 +3 +1 +4 s +240 +2 +0\.1 s +2\.3 s$/);
});

test('a minute without turns has no times', () => {
  const quiet = { ...look, activity: { minutes: [] } };
  expect(figuresOf(quiet)).toMatchObject({ ended_last_minute: 0, failed_last_minute: 0, wait_ms: null });
  expect(toLine(quiet)).toMatch(/ 0 +0 +- +-$/);
});
