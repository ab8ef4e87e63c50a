import { createHash } from 'node:crypto';
import groups from '../fixtures/memory/meanings.json' with { type: 'json' };

const DIMENSIONS = 256;
/** The weight of a word without synonyms, compared with a word that has synonyms. */
const PLAIN_WORD = 0.1;

/** A vector for a text. Words of one group in the fixture point in the same direction. Numbers are ignored. */
export function meaningOf(text: string): number[] {
  const vector = Array.from({ length: DIMENSIONS }, () => 0);
  for (const word of text.toLowerCase().match(/\p{Letter}+/gu) ?? []) {
    const meanings = groupsOf.get(word);
    for (const meaning of meanings ?? []) add(vector, direction(`meaning ${meaning}`), 1);
    if (!meanings) add(vector, direction(word), PLAIN_WORD);
  }
  return vector;
}

const groupsOf = new Map<string, number[]>();
groups.forEach((words, group) => {
  for (const word of words) groupsOf.set(word, [...(groupsOf.get(word) ?? []), group]);
});

function add(sum: number[], vector: readonly number[], weight: number): void {
  vector.forEach((value, index) => {
    sum[index] = (sum[index] ?? 0) + value * weight;
  });
}

/** Always the same for the same name, and almost orthogonal to every other. */
function direction(name: string): number[] {
  const bits = createHash('shake256', { outputLength: DIMENSIONS / 8 })
    .update(name)
    .digest();
  return Array.from({ length: DIMENSIONS }, (_, index) => (((bits[index >> 3] ?? 0) >> (index & 7)) & 1) * 2 - 1);
}
