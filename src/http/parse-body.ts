import type { z } from 'zod';
import { InvalidRequest } from '#domain/errors.ts';
import { explainIssue } from './explain-issue.ts';

/** A body in the shape of `schema`, or an `InvalidRequest` that names the first field that isn't. */
export function parseBody<T>(schema: z.ZodType<T>, body: unknown): T {
  const parsed = schema.safeParse(body, { error: explainIssue });
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const param = issue?.path.join('.') || null;
  throw new InvalidRequest('invalid_request', param, issue?.message ?? 'The body is not as it should be.');
}
