import { availableParallelism } from 'node:os';
import { pageTextOf } from '../src/domain/text/numbered-links.ts';
import { htmlToText, parseHtml } from '../src/tools/builtin/web/html-to-text.ts';
import { mainLines, numberLinks } from '../src/tools/builtin/web/main-text.ts';
import { makePages, type SamplePage } from './pages/make-pages.ts';
import { saveResult } from './results/save-result.ts';

/** How much of a page's own text the agent gets, how much else, and what it costs, also for pages that are built to cost much. */
export type Measured = {
  readonly name: string;
  readonly precision: number;
  readonly recall: number;
  readonly within: number;
};

const BASE = new URL('https://pages.example/');
const FIRST_BYTES = 4_000;

export const readMain = (html: string): string =>
  pageTextOf(numberLinks(mainLines(parseHtml(html, BASE).lines)).text) ?? '';
const readAll = (html: string): string => htmlToText(html, BASE).text;

/** Compared by runs of characters, because not all languages separate their words. */
export function measure({ name, html, main }: SamplePage, read = readMain): Measured {
  const text = read(html);
  const wanted = piecesOf(main.join('\n'));
  const given = piecesOf(text);
  const first = piecesOf(cut(text));
  const reachable = piecesOf(cut(main.join('\n')));
  return {
    name,
    precision: shareOf(given, wanted),
    recall: shareOf(wanted, given),
    within: shareOf(reachable, first),
  };
}

const cut = (text: string): string => Buffer.from(text).toString('utf8', 0, FIRST_BYTES);

/** The runs of 12 letters and digits, each as often as it occurs. */
function piecesOf(text: string): Map<string, number> {
  const letters = [...text.matchAll(/[\p{L}\p{N}]/gu)].map(([letter]) => letter).join('');
  const pieces = new Map<string, number>();
  for (let at = 0; at + 12 <= letters.length; at++) {
    const piece = letters.slice(at, at + 12);
    pieces.set(piece, (pieces.get(piece) ?? 0) + 1);
  }
  return pieces;
}

/** How many of these pieces the others have. */
function shareOf(pieces: ReadonlyMap<string, number>, others: ReadonlyMap<string, number>): number {
  let [all, found] = [0, 0];
  for (const [piece, count] of pieces) {
    all += count;
    found += Math.min(count, others.get(piece) ?? 0);
  }
  return all === 0 ? 1 : found / all;
}

export const HOSTILE: Readonly<Record<string, string>> = {
  paragraphs: '<p>x',
  links: '<a href="x">y</a>',
  'open links': '<a href="x">',
  cells: '<table><tr><td>x',
  'open divs': '<div>',
  'class names': '<div class="nav- side- ad">',
  headings: '<h1>x</h1><p>yy. zz',
};

/** The milliseconds of CPU time that a page takes. */
export function cpuOf(html: string): number {
  const begun = process.cpuUsage();
  readMain(html);
  const { user, system } = process.cpuUsage(begun);
  return (user + system) / 1000;
}

const median = (numbers: readonly number[]): number =>
  numbers.toSorted((one, other) => one - other)[Math.floor(numbers.length / 2)] ?? 0;
const mean = (numbers: readonly number[]): number => numbers.reduce((sum, each) => sum + each, 0) / numbers.length;

if (import.meta.main) {
  const pages = makePages();
  for (const page of pages) cpuOf(page.html); // warms up
  const summary = (measured: readonly Measured[]) => ({
    precision: median(measured.map(({ precision }) => precision)),
    recall: median(measured.map(({ recall }) => recall)),
    within_4000_bytes: mean(measured.map(({ within }) => within)),
    below_half_precision: measured.filter(({ precision }) => precision < 0.5).length,
    below_090_recall: measured.filter(({ recall }) => recall < 0.9).length,
  });
  const measured = pages.map((page) => measure(page));
  if (process.argv.includes('--pages')) console.table(measured);
  const hostile = Object.entries(HOSTILE).flatMap(([name, piece]) =>
    [256, 512].map((kib) => ({
      name: `${kib} KiB of ${name}`,
      cpu_ms: Math.min(...[1, 2].map(() => cpuOf(piece.repeat((kib * 1024) / piece.length)))),
    })),
  );
  const cpu = pages.map(({ html }) => cpuOf(html));
  const result = {
    node: process.version,
    cores: availableParallelism(),
    pages: pages.length,
    bytes: pages.reduce((sum, { html }) => sum + Buffer.byteLength(html), 0),
    main: summary(measured),
    all: summary(pages.map((page) => measure(page, readAll))),
    cpu_ms: { median: median(cpu), largest: Math.max(...cpu) },
    hostile,
  };
  console.log(JSON.stringify(result, null, 2));
  saveResult('main-text', result);
}
