/** Values that others wrote, whose keys are not ours to rename. */
const OPAQUE = new Set(['parameters', 'schema', 'capabilities', 'annotations', 'detail']);

/** A record as the API would show it: `createdAt` becomes `created_at`, also in nested records. */
export function toSnakeCase(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(toSnakeCase);
  if (typeof value !== 'object' || value === null || value instanceof Date) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [
      key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
      OPAQUE.has(key) ? inner : toSnakeCase(inner),
    ]),
  );
}
