export type Series = { readonly name: string; readonly values: readonly number[] };
export type Chart = {
  readonly title: string;
  /** What the values are, such as `ms`. */
  readonly unit: string;
  /** One for each value of a series. */
  readonly labels: readonly string[];
  readonly series: readonly Series[];
  readonly kind: 'bars' | 'lines';
  /** What the labels are. */
  readonly axis: string;
};

const [WIDTH, HEIGHT] = [720, 300];
const [LEFT, RIGHT, TOP, BOTTOM] = [56, 16, 64, 48];
const STEPS = 4;
const MARK = 3;
/** Legible on white and on black. The first is the accent of the app. */
const COLOURS = ['#3b82f6', '#f59e0b', '#10b981', '#a855f7', '#ef4444'];
const STYLE =
  'text{fill:#374151;font:12px system-ui,sans-serif}.title{font-size:14px;font-weight:600}.grid{stroke:#9ca3af;stroke-opacity:.35}' +
  '@media(prefers-color-scheme:dark){text{fill:#d1d5db}}';

/** An SVG that also suits a dark page. */
export function drawChart(chart: Chart): string {
  const most = roundUp(Math.max(...chart.series.flatMap(({ values }) => values)));
  const y = (value: number) => HEIGHT - BOTTOM - (value / most) * (HEIGHT - BOTTOM - TOP);
  const slot = (WIDTH - LEFT - RIGHT) / chart.labels.length;
  const middle = (index: number) => LEFT + slot * (index + 0.5);
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" width="${WIDTH}" height="${HEIGHT}" role="img">`,
    `<title>${escape(chart.title)}</title>`,
    `<style>${STYLE}</style>`,
    `<text class="title" x="${LEFT}" y="20">${escape(chart.title)}</text>`,
    ...drawLegend(chart),
    ...drawGrid(most, y),
    ...chart.labels.map((label, index) => text(middle(index), HEIGHT - BOTTOM + 18, label, 'middle')),
    text((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 10, chart.axis, 'middle'),
    ...(chart.kind === 'bars' ? drawBars(chart, slot, y) : drawLines(chart, middle, y)),
    '</svg>',
    '',
  ].join('\n');
}

function drawLegend({ series, unit }: Chart): string[] {
  let x = LEFT;
  const names = series.flatMap(({ name }, index) => {
    const at = x;
    x += 26 + name.length * 7;
    return [
      `<rect x="${at}" y="34" width="10" height="10" rx="2" fill="${colourOf(index)}"/>`,
      text(at + 15, 43, name, 'start'),
    ];
  });
  return [...names, text(WIDTH - RIGHT, 43, unit, 'end')];
}

function drawGrid(most: number, y: (value: number) => number): string[] {
  return Array.from({ length: STEPS + 1 }, (_, step) => (most * step) / STEPS).flatMap((value) => [
    `<line class="grid" x1="${LEFT}" x2="${WIDTH - RIGHT}" y1="${round(y(value))}" y2="${round(y(value))}"/>`,
    text(LEFT - 8, y(value) + 4, format(value), 'end'),
  ]);
}

function drawBars({ series, labels }: Chart, slot: number, y: (value: number) => number): string[] {
  const width = Math.min(48, (slot * 0.8) / series.length);
  return labels.flatMap((_, index) =>
    series.flatMap(({ values }, place) => {
      const value = values[index];
      if (value === undefined || Number.isNaN(value)) return [];
      const x = LEFT + slot * (index + 0.5) + width * (place - series.length / 2);
      const height = y(0) - y(value);
      return [
        `<rect x="${round(x)}" y="${round(y(value))}" width="${round(width - 2)}" height="${round(height)}" rx="2" fill="${colourOf(place)}"/>`,
        text(x + width / 2, y(value) - 5, format(value), 'middle'),
      ];
    }),
  );
}

function drawLines({ series }: Chart, middle: (index: number) => number, y: (value: number) => number): string[] {
  return series.flatMap(({ values }, place) => {
    const points = values.map((value, index) => [round(middle(index)), round(y(value))] as const);
    return [
      `<polyline fill="none" stroke="${colourOf(place)}" stroke-width="2" points="${points.map((point) => point.join()).join(' ')}"/>`,
      ...points.map(([x, at]) => `<circle cx="${x}" cy="${at}" r="${MARK}" fill="${colourOf(place)}"/>`),
    ];
  });
}

const text = (x: number, y: number, words: string, anchor: 'start' | 'middle' | 'end'): string =>
  `<text x="${round(x)}" y="${round(y)}" text-anchor="${anchor}">${escape(words)}</text>`;

const colourOf = (index: number): string => COLOURS[index % COLOURS.length] ?? 'currentColor';

/** The next of 1, 2, 2.5 and 5 times a power of ten. */
export function roundUp(value: number): number {
  if (value <= 0) return 1;
  const power = 10 ** Math.floor(Math.log10(value));
  return ([1, 2, 2.5, 5, 10].find((step) => step * power >= value) ?? 10) * power;
}

const format = (value: number): string => Number(value.toPrecision(3)).toLocaleString('en');
const round = (value: number): number => Math.round(value * 10) / 10;
const escape = (words: string): string =>
  words.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
