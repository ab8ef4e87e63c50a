import { setTimeout as sleep } from 'node:timers/promises';
import { readStream } from '../../test/support/read-stream.ts';
import type { clientOf, webhookClientOf } from '../../test/support/service.ts';

export type Target = ReturnType<typeof clientOf> & { readonly webhook: ReturnType<typeof webhookClientOf> };

/** Called with each text of a stream. Jobs and gates have none. */
type OnText = () => void;

/** A kind of request, and how many of a hundred are of it. */
export type Kind = {
  readonly name: string;
  readonly share: number;
  run(target: Target, onText: OnText): Promise<void>;
};

/** Responses that a later request can continue. */
const earlier: string[] = [];
const MOST_EARLIER = 500;

export const KINDS: readonly Kind[] = [
  { name: 'new thread', share: 50, run: (target, onText) => stream(target, { input: 'Hello' }, onText) },
  { name: 'known thread', share: 20, run: continueThread },
  {
    name: 'tool call',
    share: 15,
    run: (target, onText) => stream(target, { input: 'use time {}' }, onText),
  },
  { name: 'webhook', share: 10, run: submitJob },
  { name: 'approval', share: 5, run: denyCall },
];

async function stream(target: Target, body: object, onText: OnText): Promise<void> {
  const response = await target.post({ ...body, stream: true });
  if (response.status !== 200) throw new Error(`status ${response.status}`);
  for await (const event of readStream(response)) {
    if (event.type === 'response.output_text.delta') onText();
    if (event.type !== 'response.completed') continue;
    if (event.response && earlier.length < MOST_EARLIER) earlier.push(event.response.id);
    return;
  }
  throw new Error('the stream was cut');
}

/** Each response is continued once, so threads grow as those of people do. */
function continueThread(target: Target, onText: OnText): Promise<void> {
  const previous = earlier.splice(Math.floor(Math.random() * earlier.length), 1);
  return stream(target, { input: 'And then?', ...(previous[0] && { previous_response_id: previous[0] }) }, onText);
}

async function submitJob(target: Target): Promise<void> {
  const id = await target.webhook.submit({ user_id: `user-${Math.floor(Math.random() * 50)}`, message: 'Hello' });
  while ((await target.webhook.job(id)).status !== 'completed') await sleep(50);
}

/** A call that waits at a gate, and is denied by its user. */
async function denyCall(target: Target): Promise<void> {
  const asked = await target.request('/api/chat', {
    method: 'POST',
    body: JSON.stringify({ message: 'use mission_delete {}' }),
  });
  const { gate } = (await asked.json()) as { gate: { id: string } | null };
  if (!gate) throw new Error('no gate');
  const answered = await target.request(`/api/gates/${gate.id}`, {
    method: 'POST',
    body: JSON.stringify({ answer: 'deny' }),
  });
  if (!answered.ok) throw new Error(`status ${answered.status}`);
}
