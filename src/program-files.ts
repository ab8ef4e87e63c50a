import path from 'node:path';

/** Programs that run in a separate process or thread, or are loaded by name. The package has a file for each. */
export const PROGRAMS = [
  'tools/secrets/keyring-process',
  'tools/component/install/preparer',
  'tools/mcp/local/guard',
  'tools/builtin/web/read-page',
  'channels/mail/parse-mail',
  'documents/inside/extract',
  'safety/worker-threads/run-rules',
  'safety/worker-threads/worker',
  'safety/json-schema/schema-checks',
] as const;

export type Program = (typeof PROGRAMS)[number];

/** The file to start: TypeScript in a checkout, JavaScript in the package. */
export function programFile(program: Program): string {
  return path.join(import.meta.dirname, program + path.extname(import.meta.filename));
}

/**
 * A file or folder by its path from the root of the checkout or package. The bundle puts every chunk directly into `src/`,
 * so this file's folder is the same in both; no other file may depend on its own location.
 */
export function packageFile(file: string): string {
  return path.join(import.meta.dirname, '..', file);
}
