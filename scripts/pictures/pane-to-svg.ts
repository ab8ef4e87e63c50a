import { visibleWidth } from '@earendil-works/pi-tui';

/** Renders a pane, as printed by `tmux capture-pane -e -p`, as an SVG that needs no extra fonts. */
export function paneToSvg(pane: string, columns: number, title: string): string {
  const lines = pane.replace(/\n+$/, '').split('\n');
  const width = Math.round(columns * CELL.width + 2 * MARGIN);
  const height = lines.length * CELL.height + BAR + 2 * MARGIN;
  const rows = readRows(lines).flatMap((runs, row) => renderRow(runs, BAR + MARGIN + row * CELL.height));
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img">`,
    `<title>${title}</title>`,
    `<rect width="${width}" height="${height}" rx="8" fill="${PAPER}"/>`,
    ...[0, 1, 2].map((dot) => `<circle cx="${MARGIN + 6 + dot * 18}" cy="20" r="5" fill="#4a453f"/>`),
    `<g font-family="ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace" font-size="14">`,
    ...rows,
    '</g>',
    '</svg>',
    '',
  ].join('\n');
}

type Mark = 'bold' | 'faint' | 'italic' | 'underline' | 'struck' | 'inverse';

type Style = { readonly ink: string; readonly marks: readonly Mark[] };

type Run = { readonly text: string; readonly column: number; readonly style: Style };

const CELL = { width: 8.4, height: 20 };
const MARGIN = 16;
const BAR = 28;
const PAPER = '#211e1b';
const INK = '#e9e4dc';
const PLAIN: Style = { ink: INK, marks: [] };

/** The terminal's colours, black to white. */
const COLOURS = ['#4a453f', '#e5705f', '#7fb069', '#e0a84f', '#6ea8e0', '#b58bd0', '#62b8b0', INK];

/** A style lasts until it is changed, also across line ends. */
function readRows(lines: readonly string[]): Run[][] {
  let style = PLAIN;
  return lines.map((line) => {
    const runs: Run[] = [];
    let column = 0;
    for (const piece of line.split(ESCAPE)) {
      const codes = /^\[([\d;]*)m$/.exec(piece)?.[1];
      if (codes !== undefined) style = codes.split(';').map(Number).reduce(withCode, style);
      else if (piece !== '') runs.push({ text: piece, column, style });
      if (codes === undefined) column += visibleWidth(piece);
    }
    return runs;
  });
}

// oxlint-disable-next-line no-control-regex -- terminals use this escape character
const ESCAPE = /\u001b(\[[\d;]*m)/;

function withCode({ ink, marks }: Style, code: number): Style {
  if (code === 0) return PLAIN;
  if (code === 39) return { ink: INK, marks };
  const colour = COLOURS[(code % 60) - 30];
  if (colour) return { ink: colour, marks };
  const mark = MARKS[code];
  if (mark) return { ink, marks: [...marks, mark] };
  return { ink, marks: marks.filter((each) => !ENDS[code]?.includes(each)) };
}

const MARKS: Record<number, Mark> = { 1: 'bold', 2: 'faint', 3: 'italic', 4: 'underline', 7: 'inverse', 9: 'struck' };

const ENDS: Record<number, readonly Mark[]> = {
  22: ['bold', 'faint'],
  23: ['italic'],
  24: ['underline'],
  27: ['inverse'],
  29: ['struck'],
};

/** Each text has an explicit length, so that every font keeps to the columns. */
function renderRow(runs: readonly Run[], top: number): string[] {
  return runs.flatMap(({ text, column, style: { ink, marks } }) => {
    const isInverse = marks.includes('inverse');
    const x = MARGIN + column * CELL.width;
    const width = visibleWidth(text) * CELL.width;
    const box = `<rect x="${round(x)}" y="${top}" width="${round(width)}" height="${CELL.height}" fill="${ink}"/>`;
    if (text.trim() === '') return isInverse ? [box] : [];
    const attributes = [
      `x="${round(x)}" y="${top + 15}" textLength="${round(width)}" lengthAdjust="spacingAndGlyphs"`,
      `fill="${isInverse ? PAPER : ink}"`,
      ...(marks.includes('bold') ? ['font-weight="700"'] : []),
      ...(marks.includes('faint') ? ['opacity="0.62"'] : []),
      ...(marks.includes('italic') ? ['font-style="italic"'] : []),
      ...(marks.includes('underline') ? ['text-decoration="underline"'] : []),
      ...(marks.includes('struck') ? ['text-decoration="line-through"'] : []),
    ];
    return [...(isInverse ? [box] : []), `<text ${attributes.join(' ')}>${escape(text)}</text>`];
  });
}

const round = (value: number) => Math.round(value * 10) / 10;

/** Non-breaking spaces, because ordinary ones would collapse into one. */
const escape = (text: string) =>
  text.replaceAll(' ', '\u00a0').replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
