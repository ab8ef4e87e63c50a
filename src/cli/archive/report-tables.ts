import type { TableSum } from '#database/archive/archive-format.ts';
import { printNotice } from '../print.ts';

/** Tells of each table as it is done, on the standard error, and keeps the sums for the end. */
export function reportTables(quiet: boolean) {
  const tables: Record<string, TableSum> = {};
  return {
    tables,
    onTable(table: string, sum: TableSum): void {
      tables[table] = sum;
      if (!quiet && process.stderr.isTTY) printNotice(`  ${table}: ${sum.rows} rows`);
    },
    rows: (): number => Object.values(tables).reduce((all, { rows }) => all + rows, 0),
  };
}
