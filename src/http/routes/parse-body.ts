import type { z } from 'zod';
import { InvalidRequest } from '#domain/errors.ts';
import { explainIssue } from './explain-issue.ts';
import { refuseNull } from './null-characters.ts';

/**
 * A body in the shape of `schema`, or an `InvalidRequest` that names the first field that isn't. `free` are the fields
 * that are kept as JSON, and so may hold any character.
 */
export function parseBody<T>(schema: z.ZodType<T>, body: unknown, free: readonly string[] = []): T {
  const parsed = schema.safeParse(body, { error: explainIssue });
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    const param = issue?.path.join('.') || null;
    throw new InvalidRequest('invalid_request', param, issue?.message ?? 'The body is not as it should be.');
  }
  refuseNull(parsed.data, free);
  return parsed.data;
}
