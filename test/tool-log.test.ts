import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, test } from 'vitest';
import { createLog, writeToolLine } from '#app/log.ts';
import { waitFor } from './support/wait-for.ts';

test("a tool's log line has the level that the tool chose", async () => {
  const folder = await mkdtemp(path.join(tmpdir(), 'reborn-log-'));
  const file = path.join(folder, 'log');
  const log = createLog('debug', { file });
  for (const level of ['trace', 'debug', 'info', 'warn', 'error', 'shouted'])
    writeToolLine(log, 'weather', { level, message: level });
  const lines = await waitFor('the lines', async () => {
    const written = (await readFile(file, 'utf8').catch(() => '')).trim().split('\n');
    return written.length === 5 ? written : undefined;
  });
  await rm(folder, { recursive: true });

  expect(lines.map((line) => line.match(/"level":/g)?.length)).toEqual([1, 1, 1, 1, 1]);
  expect(lines.map((line) => JSON.parse(line) as object)).toMatchObject([
    { level: 20, tool: 'weather', msg: 'debug' },
    { level: 30, msg: 'info' },
    { level: 40, msg: 'warn' },
    { level: 50, msg: 'error' },
    { level: 30, msg: 'shouted' },
  ]);
});
