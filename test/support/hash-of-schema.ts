import { hashOfFiles } from './cached-folder.ts';

/** The files that define a database and its schema. */
const INGREDIENTS = [
  'migrations/**/*',
  'src/*/sql/*.sql',
  'src/database/embedded/*.ts',
  'test/support/prepared-cluster.ts',
  'package-lock.json',
];

let hash: Promise<string> | undefined;

/** Changes whenever a prepared database would differ from a new one. */
export function hashOfSchema(): Promise<string> {
  return (hash ??= hashOfFiles(INGREDIENTS));
}
