import type { TableSum } from '#database/archive/archive-format.ts';
import { printNotice } from '../print.ts';

/** Reports each finished table on the standard error, and adds up the totals. */
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
