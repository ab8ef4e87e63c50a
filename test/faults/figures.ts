import { appendFile } from 'node:fs/promises';
import path from 'node:path';

/** `npm run endurance` collects its table of results in this file, for docs/trust/benchmarks.md. */
const TABLE = path.join(import.meta.dirname, '../../node_modules/.cache/endurance.md');

/** One row of the table. */
export async function addFigures(what: string, times: number, result: string): Promise<void> {
  const row = `| ${what} | ${times} times | ${result} |`;
  console.log(row);
  if (process.env['ENDURANCE']) await appendFile(TABLE, `${row}\n`);
}
