import { defineConfig } from 'vitest/config';
import { SlowFirst } from '../support/slow-first.ts';

/** It measures how long a page is busy, so nothing else may run beside it. */
const PACE = 'test/browser/pace.test.ts';

/** `npm run test:browser`: apart from the other tests, since it needs Chromium and a built app. */
export default defineConfig({
  test: {
    pool: 'forks',
    sequence: { sequencer: SlowFirst },
    hookTimeout: 300_000,
    testTimeout: 300_000,
    teardownTimeout: 10_000,
    expect: { poll: { timeout: 60_000 } },
    // Enough of a list of findings for CI's summary, which has no room for differences.
    chaiConfig: { truncateThreshold: 400 },
    onConsoleLog: (line) => !line.startsWith('oidc-provider '),
    projects: [
      {
        extends: true,
        // Files share the browser and the loaded service of their worker.
        test: {
          name: 'browser',
          include: ['test/browser/**/*.test.ts'],
          exclude: [PACE],
          maxWorkers: 2,
          isolate: false,
        },
      },
      {
        extends: true,
        test: { name: 'pace', include: [PACE], maxWorkers: 1, sequence: { groupOrder: 1 } },
      },
    ],
  },
});
