import { configDefaults, defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: [
      'src/**/*.test.ts',
      'test/**/*.test.ts',
      'client/src/**/*.test.ts',
      'sdk/src/**/*.test.ts',
      'examples/tools/*/**/*.test.ts',
      'web/src/**/*.test.ts',
    ],
    // They have a configuration of their own, and need Chromium.
    exclude: [...configDefaults.exclude, 'test/browser/**'],
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
    restoreMocks: true,
    unstubEnvs: true,
  },
});
