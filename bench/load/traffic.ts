import { setTimeout as sleep } from 'node:timers/promises';
import type { OccurrenceList } from '@reborn-agent/client/api';
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
  { name: 'new thread', share: 40, run: (target, onText) => stream(target, { input: 'Hello' }, onText) },
  { name: 'known thread', share: 20, run: continueThread },
  {
    name: 'tool call',
    share: 13,
    run: (target, onText) => stream(target, { input: 'use time {}' }, onText),
  },
  { name: 'webhook', share: 10, run: submitJob },
  { name: 'approval', share: 5, run: denyCall },
  { name: 'schema', share: 5, run: (target) => stream(target, { input: 'Where?', text: { format: CITY } }, () => {}) },
  { name: 'MCP client', share: 5, run: askByMcp },
  { name: 'mission', share: 2, run: runMission },
];

const CITY = {
  type: 'json_schema',
  name: 'city',
  schema: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'], additionalProperties: false },
};

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

/** Each response is continued once, so threads grow as in real conversations. */
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
  const { gate } = await call<{ gate: { id: string } | null }>(target, 'POST', '/api/chat', {
    message: 'use mission_delete {}',
  });
  if (!gate) throw new Error('no gate');
  await call(target, 'POST', `/api/gates/${gate.id}`, { answer: 'deny' });
}

/** Another agent that has this one as a tool. */
async function askByMcp(target: Target): Promise<void> {
  const response = await target.request('/mcp', {
    method: 'POST',
    headers: { accept: 'application/json, text/event-stream' },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'ask', arguments: { message: 'Hello' } },
    }),
  });
  const answer = await response.text();
  if (!answer.includes('token39')) throw new Error(`MCP: ${response.status} ${answer.slice(0, 100)}`);
}

/** A mission that is made, started by hand and removed. */
async function runMission(target: Target): Promise<void> {
  const schedule = { every_minutes: 1440 };
  const { id } = await call<{ id: string }>(target, 'POST', '/api/missions', {
    name: `Mission ${Math.random()}`,
    instruction: 'Hello',
    schedule,
  });
  await call(target, 'POST', `/api/missions/${id}/run`);
  for (;;) {
    const { occurrences } = await call<OccurrenceList>(target, 'GET', `/api/missions/${id}/occurrences`);
    const status = occurrences.find(({ kind }) => kind === 'manual')?.status;
    if (status === 'completed') break;
    if (status === 'failed') throw new Error('the mission failed');
    await sleep(50);
  }
  await call(target, 'DELETE', `/api/missions/${id}`);
}

async function call<Answer>(target: Target, method: string, path: string, body?: object): Promise<Answer> {
  const response = await target.request(path, { method, ...(body && { body: JSON.stringify(body) }) });
  if (!response.ok) throw new Error(`${method} ${path.split('/', 3).join('/')}: status ${response.status}`);
  return (response.status === 204 ? undefined : await response.json()) as Answer;
}
