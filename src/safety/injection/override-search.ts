import { createMultiSearch, toSymbols } from '../multi-search.ts';
import type { OVERRIDES } from './override-words.ts';
import { toPlainLetters } from './plain-letters.ts';

/** The maximum number of letters between two of the words. */
const MAX_GAP = 40;

type Kind = 'drop' | 'earlier' | 'orders';
type Word = { readonly kind: Kind; readonly length: number; readonly letters: number; readonly isWhole: boolean };

/** A word in the text, its position counted in letters; `after` are the kinds of words shortly before it. */
type Found = { readonly kind: Kind; readonly end: number; readonly sentence: number; readonly after: Set<Kind> };

/**
 * Finds an instruction to ignore earlier instructions: the verb, its object and a word for "earlier", close together in one
 * sentence, with the verb first or last. A regular expression with two gaps took 2 s for 200 kB of hostile text; this
 * search visits each word once, together with those within the gap.
 */
export function createOverrideSearch(language: (typeof OVERRIDES)[number]): Pick<RegExp, 'test'> {
  const kinds = ['drop', 'earlier', 'orders'] as const;
  const texts = kinds.flatMap((kind) => language[kind].map((each) => ({ kind, plain: toPlainLetters(each) })));
  const words = texts.map(({ kind, plain }): Word => {
    return { kind, length: plain.length, letters: Array.from(plain).length, isWhole: !WITHOUT_GAPS.test(plain) };
  });
  const search = createMultiSearch(texts.map(({ plain }) => toSymbols(plain)));

  return {
    test(plain) {
      let recent: Found[] = [];
      let state = 0;
      let letters = 0;
      let sentence = 0;
      for (let at = 0; at < plain.length; at++) {
        const unit = plain.charCodeAt(at);
        if (unit >> 10 !== 0b110111) letters++; // the second half of a surrogate pair is not another letter
        if (ENDS.has(unit)) sentence++;
        state = search.advance(state, unit);
        for (const index of search.hits(state)) {
          const word = words[index];
          if (!word || (word.isWhole && isInsideWord(plain, at + 1 - word.length))) continue;
          const after = kindsBefore(recent, word, letters - word.letters, sentence);
          if (!after) return true;
          recent.push({ kind: word.kind, end: letters, sentence, after });
        }
        if (recent.length > 2 * MAX_RECENT) recent = recent.slice(-MAX_RECENT);
      }
      return false;
    },
  };
}

/** No more words than this fit into one gap. */
const MAX_RECENT = 500;

/** The kinds of words shortly before a word; undefined if the word completes an instruction. */
function kindsBefore(recent: readonly Found[], word: Word, start: number, sentence: number): Set<Kind> | undefined {
  const kinds = new Set<Kind>();
  for (let index = recent.length - 1; index >= 0; index--) {
    const before = recent[index];
    if (!before || before.sentence !== sentence || start - before.end > MAX_GAP) break;
    if (before.end > start || before.kind === word.kind) continue;
    const isComplete = before.kind !== 'drop' && [...before.after].some((kind) => kind !== word.kind);
    if (isComplete) return undefined;
    kinds.add(before.kind);
  }
  return kinds;
}

const ENDS: ReadonlySet<number> = new Set(Array.from('.!?。！？', (mark) => mark.charCodeAt(0)));

/** In scripts with spaces, only whole words match; in the others, words match anywhere. */
const WITHOUT_GAPS =
  /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Devanagari}]/u;

function isInsideWord(text: string, start: number): boolean {
  return start > 0 && /[\p{L}\p{N}]$/u.test(text.slice(Math.max(0, start - 2), start));
}
