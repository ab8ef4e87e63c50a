import { expect, test } from 'vitest';
import { timeTool } from './time.ts';

const tool = timeTool(() => new Date('2026-01-31T23:30:00.000Z'));
const owner = { userId: 'ann' };
const context = { owner, secretsOf: owner, idempotencyKey: 'k', signal: new AbortController().signal };
const call = async (argumentsJson: string) => JSON.parse(await tool.call(argumentsJson, context)) as unknown;

test.each(['', '{}', ' {} '])('with the arguments %j it tells the time in UTC', async (argumentsJson) => {
  expect(await call(argumentsJson)).toEqual({
    utc: '2026-01-31T23:30:00.000Z',
    time_zone: 'UTC',
    local: expect.stringMatching(/Saturday.* 31 January 2026.* 23:30:00 UTC/),
  });
});

test.each([
  ['Europe/Oslo', /Sunday.* 1 February 2026.* 00:30:00/],
  ['America/New_York', /Saturday.* 31 January 2026.* 18:30:00/],
  ['Asia/Kathmandu', /Sunday.* 1 February 2026.* 05:15:00/],
])('it tells the time in %s', async (time_zone, local) => {
  expect(await call(JSON.stringify({ time_zone }))).toEqual({
    utc: '2026-01-31T23:30:00.000Z',
    time_zone,
    local: expect.stringMatching(local),
  });
});

test.each(['Mars/Olympus', 'Europe/', ''])('the zone %j is unknown', async (time_zone) => {
  expect(await call(JSON.stringify({ time_zone }))).toEqual({ error: `Unknown time zone: ${time_zone}` });
});

test.each(['{"time_zone":5}', '{"zone":"UTC"}', '[]', 'null', '"UTC"', '{', 'UTC'])(
  'the arguments %s are an error that the model can read',
  async (argumentsJson) => {
    expect(await call(argumentsJson)).toEqual({ error: expect.stringMatching(/^Invalid parameters: ./) });
  },
);

test('it only reads, so it may be run again', () => {
  expect(tool.repeatable).toBe(true);
});
