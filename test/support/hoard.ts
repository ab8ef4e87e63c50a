const MB = 2 ** 20;
const BYTES_PER_NUMBER = 8;

const kept: number[][] = [];

/** Fills memory, and never frees it. */
export function hoard(megabytes: number): string {
  for (let count = 0; count < megabytes; count++) kept.push(Array<number>(MB / BYTES_PER_NUMBER).fill(0.5));
  return `kept ${megabytes}`;
}
