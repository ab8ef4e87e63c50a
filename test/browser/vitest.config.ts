import { defineConfig } from 'vitest/config';
import { SlowFirst } from '../support/slow-first.ts';

/** `npm run test:browser`: apart from the other tests, since it needs Chromium and a built app. */
export default defineConfig({
  test: {
    include: ['test/browser/**/*.test.ts'],
    pool: 'forks',
    maxWorkers: 2,
    // A browser on a busy machine can lose a key or a click. CI lists the tests that needed the second try.
    retry: 1,
    sequence: { sequencer: SlowFirst },
    hookTimeout: 120_000,
    testTimeout: 120_000,
    teardownTimeout: 10_000,
    expect: { poll: { timeout: 20_000 } },
    onConsoleLog: (line) => !line.startsWith('oidc-provider '),
  },
});
