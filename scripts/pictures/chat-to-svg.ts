/** Something in a chat, in the order of arrival. */
export type ChatLine = {
  readonly from: 'person' | 'agent' | 'title';
  readonly text: string;
  /** The text of the message while it was written. */
  readonly earlier?: string | undefined;
  readonly buttons?: readonly string[];
  readonly file?: string | undefined;
};

const WIDTH = 640;
const MARGIN = 20;
const PADDING = 12;
const LINE = 20;
const CHARACTERS = 62;
const CHARACTER_WIDTH = 7.6;

/** Renders a chat as an SVG that needs no extra fonts: the person on the right, the agent on the left. */
export function chatToSvg(lines: readonly ChatLine[], title: string): string {
  let top = MARGIN;
  const made = lines.flatMap((line) => {
    const drawn = line.from === 'title' ? drawTitle(line.text, top) : drawBubbles(line, top);
    top = drawn.bottom + (line.from === 'title' ? 4 : 10);
    return drawn.svg;
  });
  const height = top + MARGIN - 10;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" role="img">`,
    `<title>${escape(title)}</title>`,
    `<rect width="${WIDTH}" height="${height}" rx="8" fill="#ece7df"/>`,
    `<g font-family="ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace" font-size="12.5" xml:space="preserve">`,
    ...made,
    '</g>',
    '</svg>',
    '',
  ].join('\n');
}

type Drawn = { readonly svg: string[]; readonly bottom: number };

function drawTitle(text: string, top: number): Drawn {
  return { svg: [`<text x="${MARGIN}" y="${top + 14}" fill="#6b645b">${escape(text)}</text>`], bottom: top + 20 };
}

function drawBubbles(line: ChatLine, top: number): Drawn {
  const earlier = line.earlier === undefined ? undefined : drawBubble(line.earlier, 'agent', top, true);
  const start = earlier ? earlier.bottom + 4 : top;
  const words = line.file === undefined ? line.text : `[file] ${line.file}`;
  const bubble = drawBubble(words, line.from === 'person' ? 'person' : 'agent', start, false);
  const buttons = drawButtons(line.buttons ?? [], bubble.bottom + 4);
  return { svg: [...(earlier?.svg ?? []), ...bubble.svg, ...buttons.svg], bottom: buttons.bottom };
}

function drawBubble(text: string, side: 'person' | 'agent', top: number, isFaint: boolean): Drawn {
  const rows = text.split('\n').flatMap(wrap);
  const width = Math.max(...rows.map(({ length }) => length), 4) * CHARACTER_WIDTH + 2 * PADDING;
  const left = side === 'person' ? WIDTH - MARGIN - width : MARGIN;
  const height = rows.length * LINE + 2 * PADDING - 6;
  const fill = side === 'person' ? '#d5e6cf' : '#ffffff';
  const paint = isFaint ? `fill="none" stroke="#b9b1a5" stroke-dasharray="4 3"` : `fill="${fill}"`;
  return {
    svg: [
      `<rect x="${left}" y="${top}" width="${width}" height="${height}" rx="10" ${paint}/>`,
      ...rows.map((row, index) => {
        const y = top + PADDING + 10 + index * LINE;
        return `<text x="${left + PADDING}" y="${y}" fill="${isFaint ? '#6b645b' : '#26221e'}">${escape(row)}</text>`;
      }),
    ],
    bottom: top + height,
  };
}

function drawButtons(labels: readonly string[], top: number): Drawn {
  if (labels.length === 0) return { svg: [], bottom: top - 4 };
  const width = 120;
  const svg = labels.flatMap((label, index) => {
    const left = MARGIN + index * (width + 8);
    return [
      `<rect x="${left}" y="${top}" width="${width}" height="28" rx="8" fill="#ffffff" stroke="#b9b1a5"/>`,
      `<text x="${left + width / 2}" y="${top + 18}" text-anchor="middle" fill="#26221e">${escape(label)}</text>`,
    ];
  });
  return { svg, bottom: top + 28 };
}

/** Cuts a line between words. */
function wrap(line: string): string[] {
  const rows: string[] = [];
  let rest = line;
  while (rest.length > CHARACTERS) {
    const space = rest.lastIndexOf(' ', CHARACTERS);
    const cut = space > CHARACTERS / 2 ? space : CHARACTERS;
    rows.push(rest.slice(0, cut));
    rest = rest.slice(cut).trimStart();
  }
  return [...rows, rest];
}

const escape = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
