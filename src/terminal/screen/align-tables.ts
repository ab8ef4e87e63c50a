import { Marked, type Token, type Tokens } from '@earendil-works/pi-tui';

const parser = new Marked();

/** Aligns the cells of tables as their Markdown says; the library leaves all at the left. */
export function alignTables(text: string, lines: string[]): string[] {
  if (!text.includes('-:')) return lines;
  const tables = tablesIn(parser.lexer(text));
  if (lines.filter(isTop).length !== tables.length) return lines; // one is too wide to be drawn, or another box looks like one
  let drawn = 0;
  return lines.map((line) => {
    if (isTop(line)) drawn++;
    const align = tables[drawn - 1]?.align;
    return align ? alignRow(line, align) : line;
  });
}

const isTop = (line: string) => /┌[─┬]+┐/.test(line);

const tablesIn = (tokens: readonly Token[]): Tokens.Table[] =>
  tokens.flatMap((token) => {
    if (token.type === 'table') return [token as Tokens.Table];
    const { items = [], tokens: inner = [] } = token as Partial<Tokens.List & Tokens.ListItem>;
    return tablesIn([...items, ...inner]);
  });

/** Every other line has another number of parts. */
function alignRow(line: string, align: Tokens.Table['align']): string {
  const [before = '', ...rest] = line.split('│');
  const cells = rest.slice(0, -1);
  if (cells.length !== align.length) return line;
  const aligned = cells.map((cell, column) => alignCell(cell, align[column] ?? null));
  return [before, ...aligned, rest.at(-1)].join('│');
}

// oxlint-disable-next-line no-control-regex -- styles stay around the text and its padding
const CELL = /^ ((?:\x1b\[[\d;]*m)*)(.*?)( *)((?:\x1b\[[\d;]*m)*) $/;

function alignCell(cell: string, align: Tokens.Table['align'][number]): string {
  const [, open, text, padding = '', close] = CELL.exec(cell) ?? [];
  if (text === undefined || (align !== 'right' && align !== 'center')) return cell;
  const left = align === 'right' ? padding : padding.slice(0, padding.length / 2);
  return ` ${open}${left}${text}${padding.slice(left.length)}${close} `;
}
