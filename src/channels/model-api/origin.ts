import { z } from 'zod';
import { InvalidRequest } from '#domain/errors.ts';
import type { AttachedPart, TextPart } from '#domain/thread/item.ts';

const ORIGINS = ['own', 'others'] as const;
const MAX_SOURCE = 200;

/** The published schema of who wrote a text. */
export const textOrigin = {
  origin: z
    .enum(ORIGINS)
    .nullish()
    .describe(
      '`others`: text that the user did not write, such as a mail or a page. The agent treats it as data. `own` is the default.',
    ),
  source: z.string().max(MAX_SOURCE).nullish().describe('Where a text by others comes from, such as `mail`.'),
};

/** The published schema of who wrote a file or made an image. */
export const fileOrigin = {
  origin: z.enum(ORIGINS).nullish().describe('`own`: the user wrote the file. `others` is the default.'),
};

export function parseTextOrigin(part: Record<string, unknown>, param: string): Pick<TextPart, 'origin' | 'source'> {
  if (parseOrigin(part, param) !== 'others') return {};
  const source = part['source'] ?? undefined;
  if (source === undefined) return { origin: 'others' };
  if (typeof source !== 'string' || source.length > MAX_SOURCE)
    throw refuse(`${param}.source`, `source must be a string of at most ${MAX_SOURCE} characters.`);
  return { origin: 'others', source };
}

export function parseFileOrigin(part: Record<string, unknown>, param: string): Pick<AttachedPart, 'origin'> {
  return parseOrigin(part, param) === 'own' ? { origin: 'own' } : {};
}

function parseOrigin({ origin }: Record<string, unknown>, param: string): (typeof ORIGINS)[number] | undefined {
  if ((origin ?? undefined) === undefined) return undefined;
  const known = ORIGINS.find((each) => each === origin);
  if (!known) throw refuse(`${param}.origin`, 'origin must be own or others.');
  return known;
}

const refuse = (param: string, message: string) => new InvalidRequest('invalid_request', param, message);
