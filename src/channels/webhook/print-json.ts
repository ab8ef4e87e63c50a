const MAX_DEPTH = 32;

/** JSON for a reader. What is nested too deeply is left out: its indentation alone could fill the memory. */
export function printJson(value: unknown): string {
  return JSON.stringify(prune(value, 1), null, 2);
}

function prune(value: unknown, depth: number): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (depth > MAX_DEPTH) return '[Nested too deeply: left out.]';
  if (Array.isArray(value)) return value.map((item) => prune(item, depth + 1));
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, prune(inner, depth + 1)]));
}
