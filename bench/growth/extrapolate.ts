type Point = { readonly items: number; readonly value: number };

/**
 * What a curve of measured points says about a larger table. `depth`: the cost of finding something in an index, which grows with
 * the logarithm. `size`: the cost of reading a whole table.
 */
export function extrapolate(points: readonly Point[], by: 'depth' | 'size', items: number): number {
  const at = (count: number) => (by === 'depth' ? Math.log10(count) : count);
  const known = points.filter((point) => point.items > 0);
  const mean = (of: (point: Point) => number) => known.reduce((sum, point) => sum + of(point), 0) / known.length;
  const [x, y] = [mean((point) => at(point.items)), mean(({ value }) => value)];
  const spread = mean((point) => (at(point.items) - x) ** 2);
  const slope = spread === 0 ? 0 : mean((point) => (at(point.items) - x) * (point.value - y)) / spread;
  return y + slope * (at(items) - x);
}
