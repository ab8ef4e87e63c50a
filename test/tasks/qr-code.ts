import { decodePng } from './pictures.ts';

/** A code of version 1 and level L: 21 modules, 19 bytes of data and 7 to correct errors. */
const SIZE = 21;
const DATA = 19;
const QUIET = 4;
/** Level L with the mask 0, as the standard lists it: the only one that is read here. */
const FORMAT = '111011111000100';

/** What a phone would read. Throws if the picture is not a valid code. */
export function readQrCode(png: Buffer): string {
  const isDark = modulesOf(png);
  checkFinders(isDark);
  const words = wordsOf(isDark);
  if (syndromesOf(words).some((syndrome) => syndrome !== 0)) throw new Error('The words to correct errors are wrong.');
  const bits = words
    .slice(0, DATA)
    .map((word) => word.toString(2).padStart(8, '0'))
    .join('');
  if (!bits.startsWith('0100')) throw new Error('The mode is not that of bytes.');
  const length = Number.parseInt(bits.slice(4, 12), 2);
  const bytes = Array.from({ length }, (_, index) => Number.parseInt(bits.slice(12 + index * 8, 20 + index * 8), 2));
  return Buffer.from(bytes).toString();
}

type IsDark = (row: number, column: number) => boolean;

function modulesOf(png: Buffer): IsDark {
  const { width, height, at } = decodePng(png);
  const scale = width / (SIZE + 2 * QUIET);
  if (width !== height || !Number.isInteger(scale)) throw new Error(`A picture of ${width} × ${height}.`);
  const middle = (module: number) => Math.floor((module + QUIET + 0.5) * scale);
  return (row, column) => at(middle(column), middle(row))[0] < 128;
}

/** The three large squares with their white borders, the dotted lines between them, and the format in both places. */
function checkFinders(isDark: IsDark): void {
  for (const [top, left] of [
    [0, 0],
    [0, 14],
    [14, 0],
  ] as const)
    for (let y = -1; y <= 7; y++)
      for (let x = -1; x <= 7; x++) {
        const distance = Math.max(Math.abs(y - 3), Math.abs(x - 3));
        const [row, column] = [top + y, left + x];
        const isInside = row >= 0 && row < SIZE && column >= 0 && column < SIZE;
        if (isInside && isDark(row, column) !== (distance !== 2 && distance !== 4))
          throw new Error(`Wrong at ${row}, ${column}.`);
      }
  for (let n = 8; n <= 12; n++)
    if (isDark(6, n) !== (n % 2 === 0) || isDark(n, 6) !== (n % 2 === 0)) throw new Error('A dotted line is wrong.');
  if (!isDark(13, 8)) throw new Error('The dark module is missing.');
  const bitsAt = (places: readonly (readonly [number, number])[]) =>
    places.map(([row, column]) => (isDark(row, column) ? '1' : '0')).join('');
  if (bitsAt(BESIDE_CORNER) !== FORMAT || bitsAt(BESIDE_OTHERS) !== FORMAT) throw new Error('The format is wrong.');
}

const upTo = (count: number) => Array.from({ length: count }, (_, index) => index);
const BESIDE_CORNER = [
  ...[0, 1, 2, 3, 4, 5, 7, 8].map((column) => [8, column] as const),
  ...[7, 5, 4, 3, 2, 1, 0].map((row) => [row, 8] as const),
];
const BESIDE_OTHERS = [
  ...upTo(7).map((index) => [20 - index, 8] as const),
  ...upTo(8).map((index) => [8, 13 + index] as const),
];

/** Two columns at a time from the right, upwards and downwards in turn. */
function wordsOf(isDark: IsDark): number[] {
  const bits: boolean[] = [];
  for (let right = SIZE - 1, isUp = true; right > 0; right -= right === 8 ? 3 : 2, isUp = !isUp)
    for (const index of upTo(SIZE))
      for (const column of [right, right - 1]) {
        const row = isUp ? SIZE - 1 - index : index;
        if (!isReserved(row, column)) bits.push(isDark(row, column) !== ((row + column) % 2 === 0));
      }
  return upTo(bits.length / 8).map((word) =>
    bits.slice(word * 8, word * 8 + 8).reduce((value, bit) => value * 2 + Number(bit), 0),
  );
}

const isReserved = (row: number, column: number) =>
  row === 6 || column === 6 || (row < 9 && (column < 9 || column > 12)) || (row > 12 && column < 9);

/** All are zero if the words are a code of Reed and Solomon. */
function syndromesOf(words: readonly number[]): number[] {
  return upTo(words.length - DATA).map((power) => {
    const root = upTo(power).reduce((value) => multiply(value, 2), 1);
    return words.reduce((sum, word) => multiply(sum, root) ^ word, 0);
  });
}

function multiply(one: number, other: number): number {
  let product = 0;
  for (let bit = 7; bit >= 0; bit--) {
    product = (product << 1) ^ (product & 0x80 ? 0x11d : 0);
    if ((other >> bit) & 1) product ^= one;
  }
  return product;
}
