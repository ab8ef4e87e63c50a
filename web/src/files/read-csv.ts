export type Table = { readonly head: readonly string[]; readonly rows: readonly (readonly string[])[] };

/** The first rows of a table in a text, as RFC 4180 has it. The separator is the one that the first line has most often. */
export function readCsv(text: string, most: number): Table & { readonly isCut: boolean } {
  const line = text.slice(0, text.search(/[\r\n]|$/));
  const separator = [',', ';', '\t'].toSorted((one, other) => count(line, other) - count(line, one))[0] ?? ',';
  const rows: string[][] = [];
  // A cell, quoted or not, and what ends it.
  const cell = new RegExp(`(?:"((?:[^"]|"")*)"|)([^${separator}\\r\\n]*)(${separator}|\\r\\n|\\r|\\n|$)`, 'gy');
  let row: string[] = [];
  cell.lastIndex = text.startsWith('\uFEFF') ? 1 : 0;
  while (cell.lastIndex < text.length && rows.length <= most + 1) {
    const [, quoted, bare = '', end = ''] = cell.exec(text) ?? [];
    row.push(quoted === undefined ? bare : quoted.replaceAll('""', '"') + bare);
    if (end === separator && cell.lastIndex < text.length) continue;
    if (end === separator) row.push('');
    rows.push(row);
    row = [];
  }
  const [head = [], ...rest] = rows;
  return { head, rows: rest.slice(0, most), isCut: rest.length > most };
}

const count = (text: string, separator: string) => text.split(separator).length;
