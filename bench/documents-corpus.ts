import type { Passage } from '#domain/workspace/document.ts';

/** A question about one passage, which is the right answer. */
export type Question = { readonly kind: Kind; readonly question: string; readonly page: number };

/** What a question consists of. */
const KINDS = ['two rare words', 'one rare word', 'other forms of words', 'a phrase'] as const;
export type Kind = (typeof KINDS)[number];

const PASSAGES = 5;
const WORDS = 250;
/** How many words a document is about, and their share of its text. */
const SUBJECT_WORDS = 30;
const SUBJECT_SHARE = 0.15;

/** The most frequent words of a text. */
const STOP_WORDS =
  `the of and to in a is that for it as was with be by on not he this are or his from at which but have an they
  you were her she all their there been if more when will would who so no out up into than them can only other some could these
  two may then do any our over`.split(/\s+/);

/** From this rank on, a word is in a few of a thousand passages; before, it is in most documents. */
const USUAL = 400;

/**
 * Invented documents, the same in every run. Words are as frequent as those of a language: the second is half as frequent as the
 * first, and so on. Each document has a subject, whose words repeat in it.
 */
export function makeCorpus(seed: number) {
  const random = randomFrom(seed);
  const pick = <T>(list: readonly T[]): T | undefined => list[Math.floor(random() * list.length)];
  /** Nearly a Zipf distribution, between two ranks. */
  const word = (from = 1, to = VOCABULARY.length): string =>
    VOCABULARY[Math.floor(from * (to / from) ** random()) - 1] ?? '';
  const sentence = (words: number, next: () => string = word): string => Array.from({ length: words }, next).join(' ');

  const document = (): Passage[] => {
    const subject = Array.from({ length: SUBJECT_WORDS }, () => word(STOP_WORDS.length));
    const next = () => (random() < SUBJECT_SHARE ? (pick(subject) ?? '') : word());
    return Array.from({ length: PASSAGES }, (_, at) => ({
      page: at + 1,
      label: `page ${at + 1}`,
      heading: sentence(3, next),
      text: sentence(WORDS, next),
    }));
  };

  /** Asks with other words than the passage alone has: a few rare ones, and others that are in most documents. */
  const ask = (kind: Kind, passages: readonly Passage[]): Question => {
    const { page, text } = pick(passages) ?? { page: 1, text: '' };
    const words = text.split(' ');
    const rarest = [...new Set(words)].toSorted((a, b) => rankOf(b) - rankOf(a)).slice(5, 15);
    const usual = words.filter((each) => rankOf(each) > STOP_WORDS.length && rankOf(each) < USUAL);
    const some = (list: readonly string[], count: number) => Array.from({ length: count }, () => pick(list) ?? '');
    const start = Math.floor(random() * (words.length - 8));
    const asked = {
      'two rare words': [...rarest.slice(0, 2), ...some(words, 4)],
      'one rare word': [...rarest.slice(0, 1), ...some(usual, 4)],
      'other forms of words': [...rarest.slice(0, 2).map((each) => `${each}s`), ...some(usual, 3)],
      'a phrase': words.slice(start, start + 8),
    }[kind];
    return { kind, page, question: `what does it say about ${asked.join(' ')}` };
  };

  return { document, sentence, ask: (index: number, passages: readonly Passage[]) => ask(kindOf(index), passages) };
}

const kindOf = (index: number): Kind => KINDS[index % KINDS.length] ?? 'a phrase';

const VOCABULARY = [...STOP_WORDS, ...Array.from({ length: 50_000 }, (_, rank) => syllables(rank))];
const RANKS = new Map(VOCABULARY.map((word, rank) => [word, rank]));

function rankOf(word: string): number {
  return RANKS.get(word) ?? 0;
}

function syllables(rank: number): string {
  const parts = ['ba', 'ke', 'li', 'mo', 'nu', 'ra', 'se', 'ti', 'vo', 'zu', 'fa', 'ge'];
  let word = '';
  for (let left = rank + 144; left > 0; left = Math.floor(left / 12)) word += parts[left % 12] ?? '';
  return word;
}

/** The same numbers in every run. */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 48_271) % 2_147_483_647;
    return state / 2_147_483_647;
  };
}
