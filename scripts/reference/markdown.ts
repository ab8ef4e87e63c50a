/** A Markdown table with aligned columns, as the formatter expects. */
export function table([head = [], ...rows]: readonly (readonly string[])[]): string {
  const cells = [head, ...rows].map((row) => row.map((text) => text.replaceAll('|', '\\|').replaceAll('\n', ' ')));
  const widths = head.map((_, column) => Math.max(3, ...cells.map((row) => row[column]?.length ?? 0)));
  const line = (row: readonly string[]) =>
    `| ${row.map((text, column) => text.padEnd(widths[column] ?? 0)).join(' | ')} |`;
  const [first = [], ...others] = cells;
  return [line(first), line(widths.map((width) => '-'.repeat(width))), ...others.map(line)].join('\n');
}

export const code = (text: string): string => `\`${text}\``;
