import path from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** The test files that take longest. The last one to start decides when all are done. */
const SLOW = [
  'package/package',
  'browser/accessible',
  'docs/blocks',
  'journeys/tool-installs',
  'terminal/chat',
  'browser/layouts',
  'browser/pages',
  'terminal/keys',
  'browser/everyday',
  'care/backup',
  'attacks/jail',
  'care/archive',
  'journeys/tool-grants',
  'terminal/doctor',
  'journeys/bodies',
  'browser/chat',
  'browser/settings',
  'browser/gates',
  'browser/missions',
  'browser/rendering',
  'browser/mcp',
];

/** Starts the slow test files first, so that no worker is left alone with one at the end. */
export class SlowFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    // oxlint-disable-next-line unicorn/no-array-sort -- the sequencer's method, not an array's
    const sorted = await super.sort(files);
    return sorted.toSorted((a, b) => rankOf(a) - rankOf(b));
  }
}

function rankOf({ moduleId }: TestSpecification): number {
  const name = path
    .relative(path.resolve('test'), moduleId)
    .replaceAll(path.sep, '/')
    .replace(/\.test\.ts$/, '');
  const rank = SLOW.indexOf(name);
  return rank === -1 ? SLOW.length : rank;
}
