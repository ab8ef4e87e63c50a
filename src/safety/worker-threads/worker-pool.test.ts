import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';

const DEADLINE_MS = 1000;

/** Checks a text against a pattern that takes longer with each letter. */
const program = (letters: number) => `
  import { runInWorker, unlessGivenUp } from './src/safety/worker-threads/worker-pool.ts';
  const job = (count, deadlineMs) => runInWorker({
    program: 'safety/json-schema/schema-checks', run: 'findMisfit', lane: 'ann', deadlineMs,
    input: { schema: { type: 'string', pattern: '^(a+)+$' }, text: JSON.stringify('a'.repeat(count) + '!') },
  });
  await job(1); // the thread has started
  const result = unlessGivenUp(job(${letters}, ${DEADLINE_MS}));
  console.log('started');
  console.log((await result) ?? 'given up');`;

const start = (letters: number) =>
  spawn(process.execPath, ['--input-type=module', '-e', program(letters)], { stdio: ['ignore', 'pipe', 'inherit'] });

test('a job that takes too much time is given up', async () => {
  expect(await text(start(60).stdout)).toContain('given up');
});

test('the time while the process was stopped does not count, as on a laptop that slept', async () => {
  const child = start(22);
  const output: string[] = [];
  child.stdout.on('data', (part: Buffer) => output.push(String(part)));
  await once(child.stdout, 'data');
  child.kill('SIGSTOP');
  await sleep(2 * DEADLINE_MS);
  child.kill('SIGCONT');
  await once(child, 'close');
  expect(output.join('')).toContain('must match pattern');
});

/** Each number is a job that keeps so many MB. */
const hoard = (...megabytes: number[]) => `
  import { runInWorker, unlessGivenUp } from './src/safety/worker-threads/worker-pool.ts';
  for (const megabytes of ${JSON.stringify(megabytes)}) {
    const job = { program: '../test/support/hoard', run: 'hoard', lane: 'ann', input: megabytes };
    console.log((await unlessGivenUp(runInWorker(job))) ?? 'given up');
  }`;

test('a job fails by its own need of memory, not by what earlier jobs left behind', async () => {
  const child = spawn(process.execPath, ['--input-type=module', '-e', hoard(150, 150, 400)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  expect((await text(child.stdout)).trim().split('\n')).toEqual(['kept 150', 'kept 150', 'given up']);
});
