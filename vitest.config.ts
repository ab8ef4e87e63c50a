import path from 'node:path';
import { configDefaults, defineConfig } from 'vitest/config';
import { SlowFirst } from './test/support/slow-first.ts';

/** They measure how long something takes, so nothing else may run beside them. */
const MEASURED = ['bad-tokens', 'cpu-budget', 'failover', 'heavy-thread', 'purge', 'steering-times'];
const measured = `test/faults/{${MEASURED.join()}}.test.ts`;

export default defineConfig({
  test: {
    // Files that run one after the other in a process share its modules, unless a project isolates them.
    pool: 'forks',
    isolate: false,
    // In `.ci/run`, tests of two parts run side by side, so these keep two cores busy while some of them wait.
    maxWorkers: 2,
    // Tests wait for something, and are done long before these unless it never comes: a machine may be five times slower.
    hookTimeout: 300_000,
    testTimeout: 300_000,
    teardownTimeout: 10_000,
    expect: { poll: { timeout: 60_000 } },
    // Enough of a list of findings for CI's summary, which has no room for differences.
    chaiConfig: { truncateThreshold: 400 },
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
        },
      },
      {
        extends: true,
        test: {
          name: 'service',
          include: ['test/**/*.test.ts'],
          // Those in `test/browser` need Chromium, and have their own configuration.
          exclude: [...configDefaults.exclude, 'test/{browser,journeys,faults,chaos}/**'],
          sequence: { groupOrder: 1 },
        },
      },
      {
        extends: true,
        // A PostgreSQL and the service run beside each of them.
        test: {
          name: 'journeys',
          include: ['test/journeys/**/*.test.ts'],
          sequence: { groupOrder: 3 },
        },
      },
      {
        extends: true,
        test: {
          name: 'faults',
          include: ['test/{faults,chaos}/**/*.test.ts'],
          exclude: [...configDefaults.exclude, measured],
          sequence: { groupOrder: 1 },
        },
      },
      {
        extends: true,
        test: {
          name: 'measured-faults',
          include: [measured],
          isolate: true,
          maxWorkers: 1,
          sequence: { groupOrder: 2 },
        },
      },
    ],
  },
});
