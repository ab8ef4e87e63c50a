import { cut } from '#domain/text/cut.ts';
import type { Item } from '#domain/thread/item.ts';
import type { Summary } from '#domain/thread/summary.ts';
import type { Prompt } from '#models/model.ts';
import { buildSummaryPrompt, MOST_TOKENS_OF_ONE } from './compact-prompt.ts';
import { findSeams, isRequest } from './history.ts';
import { itemTokens } from './history-tokens.ts';

/** All token counts are estimates. */
export type Compaction = {
  readonly turnSeq: number;
  readonly summary: Summary | null;
  /** All items after the summary, the oldest first. */
  readonly items: readonly Item[];
  /** The limit of a prompt. */
  readonly limit: number;
  /** The fixed part of a prompt: tools, instructions and the turn's input. */
  readonly fixed: number;
  /** Whether a person has asked for it: then all messages before the turn's request are summarised, even few. */
  readonly isAsked: boolean;
  /** Asks for a summary, and stores it before it resolves. */
  readonly summarise: (prompt: Prompt, toSummary: (said: string) => Summary) => Promise<Summary>;
};

/** A prompt above the first share of its limit is reduced to the second: rarely, and then by much. */
export const COMPACT_ABOVE = 0.75;
const COMPACT_TO = 0.4;
/** The share of the limit that one summary call reads. */
const STEP = 0.5;
/** A smaller gain is not worth the cost of a summary and of the lost provider cache. */
const LEAST_GAIN = 0.1;
const SUMMARY = 0.1;
const MOST_SUMMARY_TOKENS = 4000;

/**
 * Puts a summary in the place of the older items. If they are too many for one call, each summary takes in the one
 * before. Resolves to the newest; undefined when there is too little that could be summarised.
 */
export async function compact(compaction: Compaction): Promise<Summary | undefined> {
  const { items, limit, turnSeq } = compaction;
  const before = sumsOf(items, (item) => (isRequest(item, turnSeq) ? 0 : itemTokens(item)));
  const shown = sumsOf(items, (item) => Math.min(MOST_TOKENS_OF_ONE, itemTokens(item)));
  const seams = findSeams(items);
  const full = findEnd(compaction, before, seams);
  const gains = (before[full] ?? 0) - summaryTokens(limit) >= LEAST_GAIN * limit;
  const end = Math.max(gains ? full : 0, compaction.isAsked ? findEndOfEarlier(compaction, seams) : 0);
  if (end === 0) return undefined;

  let { summary } = compaction;
  for (let begin = 0; begin < end; ) {
    const next = stepFrom(begin, end, seams, (seam) => (shown[seam] ?? 0) - (shown[begin] ?? 0) <= STEP * limit);
    summary = await summariseStep(compaction, summary, items.slice(begin, next));
    begin = next;
  }
  return summary ?? undefined;
}

/**
 * Summarises all items. Each step but the last is stored; resolves to the prompt of the last step, and the most characters of
 * its answer to keep.
 */
export async function condense(
  compaction: Omit<Compaction, 'fixed' | 'isAsked'>,
): Promise<{ readonly prompt: Prompt; readonly characters: number }> {
  const { items, limit } = compaction;
  const shown = sumsOf(items, (item) => Math.min(MOST_TOKENS_OF_ONE, itemTokens(item)));
  const seams = findSeams(items);
  let { summary } = compaction;
  let begin = 0;
  for (;;) {
    const fits = (seam: number) => (shown[seam] ?? 0) - (shown[begin] ?? 0) <= STEP * limit;
    const next = fits(items.length) ? items.length : stepFrom(begin, items.length, seams, fits);
    if (next === items.length) break;
    summary = await summariseStep(compaction, summary, items.slice(begin, next));
    begin = next;
  }
  const sizes = sizesFor(limit);
  return { prompt: buildSummaryPrompt(summary, items.slice(begin), sizes), characters: sizes.summaryCharacters };
}

/** The first seam after which the rest fits, or else the last one. */
function findEnd({ limit, fixed }: Compaction, before: readonly number[], seams: readonly number[]): number {
  const room = COMPACT_TO * limit - fixed - summaryTokens(limit);
  const all = before.at(-1) ?? 0;
  return seams.find((seam) => all - (before[seam] ?? 0) <= room) ?? seams.at(-1) ?? 0;
}

/** The last seam before the request, which is an earlier turn's message when the turn continues after a gate. */
function findEndOfEarlier({ items, turnSeq }: Compaction, seams: readonly number[]): number {
  const own = items.findIndex((item) => isRequest(item, turnSeq));
  const request = own === -1 ? items.findLastIndex((item) => item.type === 'message' && item.role === 'user') : own;
  return seams.findLast((seam) => seam <= request) ?? 0;
}

/** The last seam that one call can reach, or the next one if it can reach none. */
function stepFrom(begin: number, end: number, seams: readonly number[], fits: (seam: number) => boolean): number {
  const ahead = seams.filter((seam) => seam > begin && seam <= end);
  return ahead.findLast(fits) ?? ahead[0] ?? end;
}

function summariseStep(
  { limit, turnSeq, summarise }: Omit<Compaction, 'fixed' | 'isAsked'>,
  earlier: Summary | null,
  items: readonly Item[],
): Promise<Summary> {
  const last = items.at(-1);
  if (!last) throw new Error('There is nothing to summarise.');
  const sizes = sizesFor(limit);
  return summarise(buildSummaryPrompt(earlier, items, sizes), (said) => ({
    throughSeq: last.turnSeq,
    throughPosition: last.position,
    turnSeq,
    text: cut(said, sizes.summaryCharacters),
    reads: null, // the caller knows it
  }));
}

/** In characters. */
const sizesFor = (limit: number) => ({ characters: STEP * limit * 4, summaryCharacters: summaryTokens(limit) * 4 });

const summaryTokens = (limit: number) => Math.min(MOST_SUMMARY_TOKENS, Math.floor(SUMMARY * limit));

/** The sum before each index, and the total at the end. */
function sumsOf(items: readonly Item[], weigh: (item: Item) => number): number[] {
  let sum = 0;
  return [0, ...items.map((item) => (sum += weigh(item)))];
}
