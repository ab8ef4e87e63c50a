import { createHash } from 'node:crypto';

/*
 * An archive is lines of text, gzipped: a header, files, tables and an end. A table is a line that names it and its
 * columns, its rows as PostgreSQL copies them, a line with `\.`, and a line with what they add up to.
 */

export type ArchiveHeader = {
  readonly format: 'reborn-archive';
  readonly version: 1;
  readonly createdAt: string;
  readonly reborn: string;
  readonly postgres: string;
  /** The newest migration that had been applied: the rows fit this schema. */
  readonly schema: string;
};
export type ArchivedFile = { readonly file: string; readonly content: string };
export type TableStart = { readonly table: string; readonly columns: readonly string[] };
export type TableSum = { readonly rows: number; readonly sha256: string };
export type ArchiveEnd = { readonly end: true; readonly tables: number };

export const END_OF_ROWS = '\\.';

/** Everything that changes how PostgreSQL writes a value down. */
export const SPELLING = `set local timezone = 'UTC'; set local datestyle = 'ISO, YMD'; set local intervalstyle = 'postgres';
  set local extra_float_digits = 1; set local bytea_output = 'hex'; set local client_encoding = 'UTF8'`;

/** Counts and adds up copied rows as they pass by. */
export function createSum() {
  const hash = createHash('sha256');
  let rows = 0;
  return {
    add(chunk: Buffer): void {
      hash.update(chunk);
      for (let at = chunk.indexOf(10); at !== -1; at = chunk.indexOf(10, at + 1)) rows++;
    },
    total: (): TableSum => ({ rows, sha256: hash.digest('hex') }),
  };
}
