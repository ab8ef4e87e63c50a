import { setTimeout as wait } from 'node:timers/promises';
import { z } from 'zod';
import { jsonOf } from '#domain/text/json.ts';
import type { Egress } from '#egress/egress.ts';
import { EgressFailed, EgressRefused } from '#egress/egress-failure.ts';
import type { EgressAnswer, EgressRequest } from '#egress/exchange.ts';
import { SearchFailed } from './search.ts';

export type EngineRequest = Pick<EgressRequest, 'method' | 'url' | 'headers' | 'body' | 'privateOrigin'>;

/** Sends a query and reads the answer as `schema`. */
export type AskEngine = <T>(
  name: string,
  request: EngineRequest,
  schema: z.ZodType<T>,
  signal: AbortSignal,
) => Promise<T>;

const TIMEOUT_MS = 8000;
const MAX_BYTES = 2 * 1024 * 1024;
const LONGEST_WAIT_MS = 2000;

/** Every failure is a `SearchFailed` with its reason: a failure must never look like "nothing found". */
export const createAskEngine =
  (egress: Pick<Egress, 'send'>): AskEngine =>
  async (name, request, schema, signal) => {
    const answer = await sendPatiently(egress, name, request, signal);
    if (answer.status !== 200) throw new SearchFailed(`${name} ${describeStatus(answer.status)}`);
    const read = schema.safeParse(jsonOf(Buffer.from(answer.body).toString('utf8')));
    if (!read.success) throw new SearchFailed(`${name} sent an answer that is not a list of results.`);
    return read.data;
  };

/** An engine that is asked too often may say when to ask again. It is asked once more, if that is soon. */
async function sendPatiently(
  egress: Pick<Egress, 'send'>,
  name: string,
  request: EngineRequest,
  signal: AbortSignal,
): Promise<EgressAnswer> {
  const answer = await send(egress, name, request, signal);
  const seconds = Number(answer.headers['retry-after'] ?? Number.NaN);
  if (answer.status !== 429 || !(seconds >= 0 && seconds * 1000 <= LONGEST_WAIT_MS)) return answer;
  await wait(seconds * 1000, undefined, { signal });
  return send(egress, name, request, signal);
}

async function send(
  egress: Pick<Egress, 'send'>,
  name: string,
  request: EngineRequest,
  signal: AbortSignal,
): Promise<EgressAnswer> {
  try {
    const headers = { accept: 'application/json', 'user-agent': 'reborn', ...request.headers };
    return await egress.send({ ...request, headers, timeoutMs: TIMEOUT_MS, maxResponseBytes: MAX_BYTES, signal });
  } catch (error) {
    if (signal.aborted || !(error instanceof EgressRefused || error instanceof EgressFailed)) throw error;
    throw new SearchFailed(`${name} did not answer: ${error.message}`, { cause: error });
  }
}

function describeStatus(status: number): string {
  if (status === 401) return 'refused the key.';
  if (status === 402) return 'wants to be paid: the credit of the key is used up.';
  if (status === 403) return 'refused the request: the key may not search, or the server does not offer JSON.';
  if (status === 429) return 'was asked too often. Try again later.';
  return `answered with the status ${status}.`;
}

/** A text of an engine that may be missing, or be something else. */
export const textField = z.string().nullish().catch(null);

/** A list whose entries may be wrong: those are left out. If all are, the answer is something else. */
export const entries = <T>(entry: z.ZodType<T>) =>
  z.array(z.unknown()).transform((all, context) => {
    const read = all.slice(0, MOST_ENTRIES).flatMap((each) => {
      const parsed = entry.safeParse(each);
      return parsed.success ? [parsed.data] : [];
    });
    if (all.length > 0 && read.length === 0) context.addIssue('No entry can be read.');
    return read;
  });

const MOST_ENTRIES = 100;
