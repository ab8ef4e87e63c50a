type Table = { readonly headers: readonly string[]; readonly rows: readonly (readonly string[])[] };

/** CSV as RFC 4180 has it. A cell that a spreadsheet would run as a formula gets an apostrophe; numbers stay. */
export function toCsv({ headers, rows }: Table): string {
  const lines = headers.length > 0 ? [headers, ...rows] : rows;
  return lines.map((cells) => cells.map(toCell).join(',')).join('\r\n');
}

function toCell(text: string): string {
  const isFormula = /^[=+\-@\t\r]/.test(text) && !/^[+-]?[\d.,]+(?:e[+-]?\d+)?\s*%?$/i.test(text);
  const safe = isFormula ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
