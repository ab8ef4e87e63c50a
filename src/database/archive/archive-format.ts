import { createHash } from 'node:crypto';

/*
 * An archive is gzipped lines of text: a header, files, tables and an end. A table is a line with its name and columns,
 * its rows in the text format of COPY, a line with `\.`, and a line with the row count and checksum.
 */

export type ArchiveHeader = {
  readonly format: 'reborn-archive';
  readonly version: 1;
  readonly createdAt: string;
  readonly reborn: string;
  readonly postgres: string;
  /** The newest applied migration: the rows fit this schema. */
  readonly schema: string;
};
export type ArchivedFile = { readonly file: string; readonly content: string };
export type TableStart = { readonly table: string; readonly columns: readonly string[] };
export type TableSum = { readonly rows: number; readonly sha256: string };
export type ArchiveEnd = { readonly end: true; readonly tables: number };

export const END_OF_ROWS = '\\.';

/** Every setting that changes how PostgreSQL formats a value. */
export const SPELLING = `set local timezone = 'UTC'; set local datestyle = 'ISO, YMD'; set local intervalstyle = 'postgres';
  set local extra_float_digits = 1; set local bytea_output = 'hex'; set local client_encoding = 'UTF8'`;

/** Counts and checksums copied rows as they pass. */
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
