import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, rmSync } from 'node:fs';
import path from 'node:path';
import { countTests, hasFailed, readReport, type TestReport, writeReport } from './test-report.ts';

/** If more files fail than this, it is not by chance. */
const MOST_SECOND_TRIES = 3;

/**
 * Runs vitest with these arguments, and writes a report. On CI, files with a failing test have a second try if they are few:
 * a machine that others use, too, can be too slow for a moment. The summary lists each, because a second try hides a bug.
 *
 *   node scripts/ci/run-tests.ts REPORT ARGUMENTS...
 *
 * Exits with 0 if the report shows everything that failed.
 */
const [target = '', ...given] = process.argv.slice(2);
const first = await runVitest(given);
const failed = first.files.filter(hasFailed);
const isRetried = process.env['CI'] && failed.length > 0 && failed.length <= MOST_SECOND_TRIES;
writeReport(target, isRetried ? await tryAgain(first) : first);

async function tryAgain(report: TestReport): Promise<TestReport> {
  const retried = report.files.filter(hasFailed);
  const files = retried.map(({ file }) => file);
  process.stdout.write(`--- second try of ${files.join(' ')}\n`);
  const options = given.filter((word) => !word.endsWith('.test.ts'));
  const second = await runVitest([...options, ...files]);
  const kept = report.files.filter((file) => !hasFailed(file));
  return { files: [...kept, ...second.files], errors: [...report.errors, ...second.errors], retried };
}

async function runVitest(words: readonly string[]): Promise<TestReport> {
  rmSync(target, { force: true });
  const vitest = path.resolve('node_modules/vitest/vitest.mjs');
  const reporters = ['--reporter=default', '--reporter=./scripts/ci/reporter.ts'];
  const child = spawn(process.execPath, [vitest, 'run', ...reporters, ...words], {
    stdio: ['ignore', 'inherit', 'inherit'],
    env: { ...process.env, PATH: `${path.resolve('node_modules/.bin')}:${process.env['PATH']}`, TEST_REPORT: target },
  });
  const [code] = (await once(child, 'exit')) as [number | null];
  if (!existsSync(target)) throw new Error(`Vitest ended without a report, with the code ${code}.`);
  const report = readReport(target);
  const { passed, failed: failures } = countTests(report);
  if (passed + failures === 0) throw new Error('No test ran.');
  if (code !== 0 && failures === 0) throw new Error(`Vitest failed with the code ${code}, and no test did.`);
  return report;
}
