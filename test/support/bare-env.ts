import path from 'node:path';

/** All that a program which a test starts sees of this environment. What Node compiled for one is kept for the next. */
export const BARE_ENV = {
  PATH: process.env['PATH'] ?? '',
  NODE_COMPILE_CACHE: path.join(import.meta.dirname, '../../node_modules/.cache/reborn-tests/compiled'),
};
