import { z } from 'zod';

/** The limit of one message of a jail: an answer of 1 MiB and 4 MiB of log lines, as JSON. */
export const MAX_CHILD_FRAME_BYTES = 32 * 1024 * 1024;

const MAX_TEXT = 64 * 1024;
const MAX_ANSWER = 1024 * 1024;
const MAX_LOG_LINES = 10_001;

const call = z.int().positive();
const logs = z
  .array(z.strictObject({ level: z.string().max(16), message: z.string().max(MAX_TEXT) }))
  .max(MAX_LOG_LINES);
const ended = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.enum(['output', 'error']), text: z.string().max(MAX_ANSWER) }),
  z.strictObject({ kind: z.enum(['trap', 'memory', 'contract']), message: z.string().max(500) }),
]);

const childMessage = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('loaded') }),
  z.strictObject({ type: z.literal('broken'), message: z.string().max(500) }),
  z.strictObject({ type: z.literal('begun'), call }),
  z.strictObject({
    type: z.literal('http'),
    call,
    method: z.string().max(MAX_TEXT),
    url: z.string().max(MAX_TEXT),
    headers: z.string().max(MAX_TEXT),
    hasBody: z.boolean(),
    timeoutMs: z.int().nonnegative().optional(),
  }),
  z.strictObject({ type: z.literal('secret'), call, name: z.string().max(MAX_TEXT) }),
  z.strictObject({ type: z.literal('cpu'), call, ms: z.number() }),
  z.strictObject({ type: z.literal('done'), call, ended, logs }),
  z.strictObject({ type: z.literal('stopped'), call, outOfMemory: z.boolean(), logs }),
]);

export type ChildMessage = z.infer<typeof childMessage>;

/** Jails are not trusted: a message that has none of these shapes ends the jail. */
export function parseChildMessage(message: unknown): ChildMessage {
  const parsed = childMessage.safeParse(message);
  if (!parsed.success) throw new Error(`It sent a message of no known shape: ${z.prettifyError(parsed.error)}`);
  return parsed.data;
}
