const LEAST_BITS = 100;
const FEWEST_CHARACTERS = 8;

const ALPHABETS: readonly (readonly [RegExp, number])[] = [
  [/[a-z]/, 26],
  [/[A-Z]/, 26],
  [/\d/, 10],
  [/[^a-zA-Z\d]/, 33],
];

/** Whether a token could be guessed, judged kindly: as if its characters had been drawn at random. */
export function isWeakToken(token: string): boolean {
  const letters = ALPHABETS.filter(([characters]) => characters.test(token)).reduce((sum, [, size]) => sum + size, 0);
  const bits = token.length * Math.log2(Math.max(letters, 2));
  return bits < LEAST_BITS || new Set(token).size < FEWEST_CHARACTERS;
}
