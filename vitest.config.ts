import path from 'node:path';
import { configDefaults, defineConfig } from 'vitest/config';
import { SlowFirst } from './test/support/slow-first.ts';

/** They measure how long something takes, so nothing else may run beside them. */
const MEASURED = ['bad-tokens', 'cpu-budget', 'failover', 'heavy-thread', 'purge'];
const measured = `test/faults/{${MEASURED.join()}}.test.ts`;

/** Such tests mostly wait: for processes to start, for leases to end. */
const WAITING = { maxWorkers: 3 };

export default defineConfig({
  test: {
    // A process per test file: signals, child processes and PostgreSQL clients stay apart.
    pool: 'forks',
    // Two, because the journeys also run a PostgreSQL and the service beside the test itself.
    maxWorkers: 2,
    // A first start of the embedded PostgreSQL takes seconds on a busy machine.
    hookTimeout: 120_000,
    // They wait for something, and are done long before this unless it never comes or the machine is very busy.
    testTimeout: 120_000,
    teardownTimeout: 10_000,
    expect: { poll: { timeout: 20_000 } },
    // It warns of what matters in production; here it is an identity provider of the tests.
    onConsoleLog: (line) => !line.startsWith('oidc-provider '),
    sequence: { sequencer: SlowFirst },
    restoreMocks: true,
    unstubEnvs: true,
    tags: [{ name: 'slow', description: 'Takes seconds; left out of `npm run check:fast`.' }],
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          alias: [{ find: /^@lingui\/\w+\/macro$/, replacement: path.resolve('test/support/untranslated.ts') }],
          include: ['{src,sdk/src,client/src,web/src}/**/*.test.ts', 'examples/tools/*/**/*.test.ts'],
          isolate: false,
        },
      },
      {
        extends: true,
        test: {
          name: 'service',
          include: ['test/**/*.test.ts'],
          // Those in `test/browser` need Chromium, and have their own configuration.
          exclude: [...configDefaults.exclude, 'test/{browser,journeys,faults,chaos}/**'],
          ...WAITING,
          sequence: { groupOrder: 1 },
        },
      },
      { extends: true, test: { name: 'journeys', include: ['test/journeys/**/*.test.ts'] } },
      {
        extends: true,
        test: {
          name: 'faults',
          include: ['test/{faults,chaos}/**/*.test.ts'],
          exclude: [...configDefaults.exclude, measured],
          ...WAITING,
          sequence: { groupOrder: 1 },
        },
      },
      {
        extends: true,
        test: { name: 'measured-faults', include: [measured], maxWorkers: 1, sequence: { groupOrder: 2 } },
      },
    ],
  },
});
