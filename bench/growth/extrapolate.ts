type Point = { readonly items: number; readonly value: number };

const PREDICTED_ITEMS = 1e8;
/** What each measured figure grows with, and where it is in what a size has saved. */
const FIGURES = {
  page_ms: ['depth', ['page', 'p50']],
  search_ms: ['depth', ['search', 'p50']],
  turn_ms: ['depth', ['turn', 'p50']],
  stream_ms: ['depth', ['stream', 'p50']],
  erase_seconds: ['size', ['erase', 'seconds']],
  walk_seconds: ['size', ['walk_seconds']],
  index_seconds: ['size', ['maintain_seconds', 'index']],
  megabytes: ['size', ['megabytes', 'database']],
} as const;

/** Each figure at a hundred million items, from the measured sizes. */
export function predict(sizes: readonly { readonly items: number }[]): Record<string, number> {
  const figures = Object.entries(FIGURES).map(([name, [by, path]]) => {
    const points = sizes.map((size) => ({ items: size.items, value: numberAt(size, path) }));
    return [name, extrapolate(points, by, PREDICTED_ITEMS)] as const;
  });
  return { items: PREDICTED_ITEMS, ...Object.fromEntries(figures) };
}

/** The median of each act as a multiple of that in the first size, the empty one. */
export function ratiosOf(sizes: readonly { readonly items: number }[]): Record<string, number>[] {
  return sizes.map((size) => {
    const ratios = Object.entries(FIGURES).flatMap(([name, [by, path]]) =>
      by === 'depth' ? [[name.replace('_ms', ''), numberAt(size, path) / numberAt(sizes[0], path)] as const] : [],
    );
    return { items: size.items, ...Object.fromEntries(ratios) };
  });
}

function numberAt(size: unknown, path: readonly string[]): number {
  const found = path.reduce<unknown>((value, key) => (value as Record<string, unknown> | undefined)?.[key], size);
  if (typeof found !== 'number') throw new Error(`A size has no ${path.join('.')}.`);
  return found;
}

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
