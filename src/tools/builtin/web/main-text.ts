import { linkNumber, type NumberedText } from '#domain/text/numbered-links.ts';
import { joinLines, type Line, type Link } from './html-to-text.ts';

/**
 * The lines of a page that its readers came for. Paragraphs with sentences are the text; what is near them stays, such as headings,
 * lists and tables, and what is beside them or consists of links goes.
 */
export function mainLines(lines: readonly Line[]): readonly Line[] {
  const all = lines.map(weigh);
  const chosen = dropLinks(preferMain(dropAsides(all)));
  // No article was found, as on a page that is a list: then only the link lists go.
  const kept = sizeOf(chosen) < LEAST_LEFT * sizeOf(all) ? all.filter((line) => !isMostlyLinks(line)) : chosen;
  return kept.map(({ line }) => line);
}

/** What the text must still hold after asides are left out, and after all rules. */
const LEAST_PROSE = 0.4;
const LEAST_UNLINKED = 0.6;
const LEAST_LEFT = 0.15;
/** Less prose than this in `main` is a teaser. */
const LEAST_MAIN = 200;
/** A paragraph has at least this many characters. */
const LEAST_PARAGRAPH = 80;
/** How many lines apart from a paragraph a short line may be. */
const NEAR = 6;
const NEAR_HEADING = 4;

type Weighed = { readonly line: Line; readonly isProse: boolean };

const weigh = (line: Line): Weighed => ({ line, isProse: isParagraph(line) });

/** Whether a line is a paragraph with sentences. */
function isParagraph({ length, linkLength, pieces }: Line): boolean {
  if (WIDE * length < LEAST_PARAGRAPH || linkLength >= 0.4 * length) return false;
  const text = pieces.filter((piece) => typeof piece === 'string').join('');
  return length + (WIDE - 1) * countWide(text) >= LEAST_PARAGRAPH && /[.!?。！？:;»”"…؟۔।]/.test(text);
}

/** Chinese, Japanese and Korean letters say as much as three others. */
const WIDE = 3;
const countWide = (text: string): number => text.match(/[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]/g)?.length ?? 0;

const sizeOf = (lines: readonly Weighed[]): number => lines.reduce((sum, { line }) => sum + line.length, 0);
const proseOf = (lines: readonly Weighed[]): number => sizeOf(lines.filter(({ isProse }) => isProse));
const isMostlyLinks = ({ line }: Weighed): boolean => line.linkLength > 0.5 * line.length;

/** Some pages have their whole text in a form, or in an element that looks like an aside. */
function dropAsides(all: readonly Weighed[]): readonly Weighed[] {
  const named = all.filter(({ line }) => !line.isAside);
  const rest = [named.filter(({ line }) => !line.isInForm), named].find((left) => isEnough(left, all));
  return rest ?? all;
}

function isEnough(left: readonly Weighed[], all: readonly Weighed[]): boolean {
  if (proseOf(left) >= LEAST_PROSE * proseOf(all)) return true;
  const unlinked = (lines: readonly Weighed[]) => sizeOf(lines.filter((line) => !isMostlyLinks(line)));
  return unlinked(left) >= LEAST_UNLINKED * unlinked(all); // a list or a table with little prose
}

function preferMain(lines: readonly Weighed[]): readonly Weighed[] {
  const main = lines.filter(({ line }) => line.isMain);
  const prose = proseOf(main);
  return prose > LEAST_MAIN && prose >= 0.5 * proseOf(lines) ? main : lines;
}

/** Keeps prose and what is near it. Rows and entries stay together with the first of them. */
function dropLinks(lines: readonly Weighed[]): readonly Weighed[] {
  const distances = distancesToProse(lines);
  if (distances.every((distance) => distance === Number.POSITIVE_INFINITY)) return lines;
  let run: string | undefined;
  return lines.filter((each, index) => {
    const { tag, length, linkLength } = each.line;
    if (each.isProse) return true;
    if (linkLength > (length < 200 ? 0.5 : 0.8) * length) return false;
    const isNear = (distances[index] ?? 0) <= (/^h[1-6]$/.test(tag) ? NEAR_HEADING : NEAR) || run === tag;
    run = isNear && RUNS.has(tag) ? tag : undefined;
    return isNear;
  });
}

const RUNS = new Set(['tr', 'li', 'dt', 'dd', 'pre']);

function distancesToProse(lines: readonly Weighed[]): number[] {
  const distances = lines.map(({ isProse }) => (isProse ? 0 : Number.POSITIVE_INFINITY));
  const spread = (from: number, to: number) => {
    distances[to] = Math.min(distances[to] ?? 0, (distances[from] ?? 0) + 1);
  };
  for (let at = 1; at < lines.length; at++) spread(at - 1, at);
  for (let at = lines.length - 2; at >= 0; at--) spread(at + 1, at);
  return distances;
}

/** The text of these lines with a number after each link. */
export function numberLinks(lines: readonly Line[]): NumberedText {
  const numbers = new Map<string, number>();
  const show = ({ address }: Link) => {
    const number = numbers.get(address) ?? numbers.size + 1;
    numbers.set(address, number);
    return linkNumber(number);
  };
  return { text: joinLines(lines, show), links: [...numbers.keys()] };
}
