/** A list for people, in columns. */
export function printTable(rows: readonly (readonly string[])[]): void {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  for (const row of rows) printLine(row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  '));
}

/** The same for programs. */
export const printJson = (value: unknown): void => printLine(JSON.stringify(value, null, 2));

export function printLine(line: string): void {
  process.stdout.write(`${line.trimEnd()}\n`);
}
