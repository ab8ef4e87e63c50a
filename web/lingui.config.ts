import { defineConfig } from '@lingui/cli';
import { formatter } from '@lingui/format-po';

/** `npm run messages` writes the texts of the app into the catalogues. The build compiles the catalogues. */
export default defineConfig({
  sourceLocale: 'en',
  locales: ['en', 'de', 'nb'],
  catalogs: [{ path: '<rootDir>/locales/{locale}', include: ['<rootDir>/src'], exclude: ['**/*.test.ts'] }],
  // Line numbers would change in every commit.
  format: formatter({ lineNumbers: false }),
});
