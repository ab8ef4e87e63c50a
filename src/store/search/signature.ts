/** The signs of a vector's numbers as bits: two vectors that point the same way differ in few of them. */
export function toSignature(vector: readonly number[]): string {
  return vector.map((value) => (value > 0 ? '1' : '0')).join('');
}
