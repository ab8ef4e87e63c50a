import { readFileSync } from 'node:fs';
import path from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** The seconds that slow test files took in the last run of `.ci/run` whose result was committed. */
const SECONDS = JSON.parse(readFileSync('.ci/seconds.json', 'utf8')) as Readonly<Record<string, number>>;

/** Starts the slow test files first, so that no worker is left alone with one at the end. */
export class SlowFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    // oxlint-disable-next-line unicorn/no-array-sort -- the sequencer's method, not an array's
    const sorted = await super.sort(files);
    return sorted.toSorted((a, b) => secondsOf(b) - secondsOf(a));
  }
}

function secondsOf({ moduleId }: TestSpecification): number {
  return SECONDS[path.relative('.', moduleId).replaceAll(path.sep, '/')] ?? 0;
}
