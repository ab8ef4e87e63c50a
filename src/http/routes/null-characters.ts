import type { FastifyInstance } from 'fastify';
import { InvalidRequest } from '#domain/errors.ts';

/**
 * PostgreSQL can't store U+0000 in text. So it is refused wherever it could be stored as text: in path and query parameters
 * here, before the body is read, and in fields of a body by `parseBody`.
 */
export function refuseNullInUrl(app: FastifyInstance): void {
  app.addHook('preParsing', async ({ params, query }, _reply, payload) => {
    refuseNull(params);
    refuseNull(query);
    return payload;
  });
}

/** Throws `InvalidRequest` if a string or field name in `value` contains U+0000, except in the fields `except`. */
export function refuseNull(value: unknown, except: readonly string[] = []): void {
  const path = findNull(value, except);
  if (!path) return;
  const param = path.map((key) => (key === '*' ? 'path' : key)).join('.') || null;
  throw new InvalidRequest('invalid_request', param, `${param ?? 'The body'} must not contain the character U+0000.`);
}

/** The path of the first one. Uses a stack, because a body may be nested deeper than the call stack allows. */
function findNull(root: unknown, except: readonly string[]): string[] | undefined {
  const stack: { value: unknown; path: readonly string[] }[] = [{ value: root, path: [] }];
  for (let next = stack.pop(); next; next = stack.pop()) {
    const { value, path } = next;
    if (typeof value === 'string' && value.includes('\0')) return [...path];
    if (typeof value !== 'object' || value === null) continue;
    for (const [key, inner] of Object.entries(value)) {
      if (path.length === 0 && except.includes(key)) continue;
      if (key.includes('\0')) return [...path];
      stack.push({ value: inner, path: [...path, key] });
    }
  }
  return undefined;
}
