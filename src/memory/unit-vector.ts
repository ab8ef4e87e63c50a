/** The vector at length 1, so that a dot product is a cosine; undefined when it points nowhere. */
export function toUnitVector(vector: readonly number[]): number[] | undefined {
  const length = Math.hypot(...vector);
  return length > 0 && Number.isFinite(length) ? vector.map((value) => value / length) : undefined;
}
