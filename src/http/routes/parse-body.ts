import type { z } from 'zod';
import { InvalidRequest } from '#domain/errors.ts';
import { explainIssue } from './explain-issue.ts';
import { refuseNull } from './null-characters.ts';

/**
 * Parses a body with `schema`, or throws an `InvalidRequest` that names the first wrong field. `free` are the fields that
 * are stored as JSON and may contain any character.
 */
export function parseBody<T>(schema: z.ZodType<T>, body: unknown, free: readonly string[] = []): T {
  const parsed = schema.safeParse(body, { error: explainIssue });
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    const param = issue?.path.join('.') || null;
    throw new InvalidRequest('invalid_request', param, issue?.message ?? 'The body is invalid.');
  }
  refuseNull(parsed.data, free);
  return parsed.data;
}
