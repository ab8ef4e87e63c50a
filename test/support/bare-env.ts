import { tmpdir } from 'node:os';
import path from 'node:path';

/** The environment of programs that tests start. They share Node's compile cache. */
export const BARE_ENV = {
  PATH: process.env['PATH'] ?? '',
  TMPDIR: tmpdir(),
  NODE_COMPILE_CACHE: path.join(import.meta.dirname, '../../node_modules/.cache/reborn-tests/compiled'),
};
