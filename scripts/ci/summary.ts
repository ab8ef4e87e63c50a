import { existsSync, globSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { countTests, type FileReport, hasFailed, readReport } from './test-report.ts';

/** Slow files start first (`test/support/slow-first.ts`). The order of the others does not matter. */
const SLOW_SECONDS = 5;
const MOST_LISTED = 20;

/**
 * Prints what a run of `.ci/run` found in this folder: each step with its time, the slowest files, second tries, failures, and as the
 * last line how many tests passed and failed. Also writes how long files took, as the order for the next run.
 *
 *   node scripts/ci/summary.ts FOLDER
 */
const folder = process.argv[2] ?? '.';
const steps = readRows('steps');
const reports = globSync('*.report.json', { cwd: folder }).map((name) => readReport(path.join(folder, name)));
const files = reports.flatMap((report) => report.files);
const slowest = files.toSorted((a, b) => b.seconds - a.seconds);

print('Steps, with seconds, seconds of CPU time, and how busy the machine was meanwhile:');
for (const [name, seconds, cpu, , busy] of steps)
  print(`  ${seconds?.padStart(5)} ${cpu?.padStart(6)} ${busy?.padStart(4)} %  ${name}`);
print(`The slowest ${Math.min(MOST_LISTED, files.length)} of ${files.length} test files, in seconds:`);
for (const { file, seconds } of slowest.slice(0, MOST_LISTED)) print(`  ${seconds.toFixed(1).padStart(6)}  ${file}`);
for (const report of reports) {
  printFailures('FAILED AT THE FIRST TRY', report.retried);
  printFailures('FAILED', report.files.filter(hasFailed));
  for (const error of report.errors) print(`NOT CAUGHT ${error}`);
}
for (const [name, , , status] of steps) if (status !== '0') print(`FAILED ${name}`);
writeDurations();

const counts = reports.map(countTests);
const passed = readRows('checks').length + counts.reduce((sum, count) => sum + count.passed, 0);
const broken = steps.filter(([, , , status]) => status !== '0').length;
const failed = broken + counts.reduce((sum, count) => sum + count.failed, 0);
print(`${passed} passed, ${failed} failed`);
process.exitCode = failed === 0 && passed > 0 ? 0 : 1;

function readRows(name: string): string[][] {
  const file = path.join(folder, name);
  if (!existsSync(file)) return [];
  return readFileSync(file, 'utf8')
    .trim()
    .split('\n')
    .map((line) => line.split('\t'));
}

function printFailures(title: string, failing: readonly FileReport[]): void {
  for (const { file, failures } of failing)
    for (const failure of failures)
      print(`${title} ${file}: ${failure.title}\n  ${failure.message}\n  ${failure.place}`);
}

/** Files that did not run keep the time that they had. */
function writeDurations(): void {
  const target = path.resolve('.ci/seconds.json');
  const known = JSON.parse(readFileSync(target, 'utf8')) as Record<string, number>;
  const ran = Object.fromEntries(files.map(({ file, seconds }) => [file, Math.round(seconds)]));
  const kept = Object.entries({ ...known, ...ran }).filter(
    ([file, seconds]) => seconds >= SLOW_SECONDS && existsSync(file),
  );
  const sorted = Object.fromEntries(kept.toSorted(([a], [b]) => (a < b ? -1 : 1)));
  writeFileSync(target, `${JSON.stringify(sorted, undefined, 2)}\n`);
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
