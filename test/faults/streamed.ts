import { setTimeout as sleep } from 'node:timers/promises';
import { readStream, type StreamEvent } from '../support/read-stream.ts';
import { type Replica, turnIdOf } from './cluster.ts';

/** What a client that followed a response has received, message by message. */
export type Streamed = {
  readonly id: string;
  readonly turnId: string;
  readonly status: string;
  readonly messages: Map<string, { deltas: string; done?: string }>;
};

const AGAIN_MS = 100;
const PATIENCE_MS = 90_000;
const NOT_FOUND = 404; // the failover lost it

/**
 * Sends a message and follows it to its end. When the connection is cut, reconnects to the replica that `choose` returns, with
 * the last number. Returns undefined when no answer came, so that it is unknown whether the message was accepted.
 */
export async function streamTurn(
  choose: () => Pick<Replica, 'post' | 'request'> | undefined,
  body: { input: string; previous_response_id?: string | undefined },
): Promise<Streamed | undefined> {
  const first = await choose()
    ?.post({ ...body, stream: true })
    .catch(ignoreCut);
  return first?.status === 200 ? followTurn(choose, first) : undefined;
}

/** Follows a stream that was opened to its end. */
async function followTurn(
  choose: () => Pick<Replica, 'post' | 'request'> | undefined,
  opened: Response,
): Promise<Streamed | undefined> {
  const messages: Streamed['messages'] = new Map();
  let id: string | undefined;
  let response: Response | undefined = opened;
  let last = -1;
  for (const end = performance.now() + PATIENCE_MS; performance.now() < end; ) {
    for await (const event of response?.ok ? readStream(response) : []) {
      id ??= event.response?.id;
      last = event.sequence_number;
      note(messages, event);
      if (id && isLast(event)) return { id, turnId: turnIdOf(id), messages, status: event.response?.status ?? '' };
    }
    if (!id || response?.status === NOT_FOUND) return undefined;
    if (!response?.ok) await sleep(AGAIN_MS);
    const after = last < 0 ? '' : `&starting_after=${last}`;
    response = await choose()?.request(`/api/v1/responses/${id}?stream=true${after}`).catch(ignoreCut);
  }
  throw new Error(`The stream of ${id} did not end within ${PATIENCE_MS} ms.`);
}

function note(messages: Streamed['messages'], { type, item_id, delta = '', text }: StreamEvent): void {
  if (!item_id || !type.startsWith('response.output_text.')) return;
  const known = messages.get(item_id) ?? { deltas: '' };
  messages.set(item_id, { deltas: known.deltas + delta, ...(text === undefined ? {} : { done: text }) });
}

const isLast = ({ type }: StreamEvent) => /^response\.(completed|failed|incomplete)$/.test(type);

function ignoreCut(error: unknown): undefined {
  if (!(error instanceof TypeError)) throw error; // the error of fetch for a cut connection
  return undefined;
}
