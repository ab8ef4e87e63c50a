import type { HighlightResult } from 'streamdown';
import type { CodeToColour } from '../../../../worker/highlighter-messages.ts';

export type Coloured = CodeToColour & { readonly isIncomplete: boolean; readonly result: HighlightResult };

type Row = HighlightResult['tokens'][number];

/** The code with the colours of its longest beginning that is known; what follows has none. */
export function colouredSoFar({ code, language }: CodeToColour, known: readonly Coloured[]): HighlightResult {
  const beginnings = known.filter((block) => block.language === language && code.startsWith(block.code));
  const longest = beginnings.reduce<Coloured>((best, block) => (block.code.length > best.code.length ? block : best), {
    ...NOTHING,
    language,
  });
  const rows = code
    .slice(longest.code.length)
    .split('\n')
    .map((content): Row => (content ? [{ content }] : []));
  const coloured = longest.result.tokens;
  const meeting = [...(coloured.at(-1) ?? []), ...(rows[0] ?? [])];
  return { ...longest.result, tokens: [...coloured.slice(0, -1), meeting, ...rows.slice(1)] };
}

const NOTHING = { code: '', isIncomplete: false, result: { tokens: [[]] } };
