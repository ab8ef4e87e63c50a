import { expect } from 'vitest';
import type { Tool } from '#tools/tool.ts';
import { addUser } from '../../support/accounts.ts';
import { journey } from '../../support/journey.ts';
import type { Service } from '../../support/service.ts';
import { waitFor } from '../../support/wait-for.ts';

const send: Tool = {
  definition: { name: 'send', description: null, parameters: { type: 'object' }, strict: null },
  repeatable: false,
  flow: { reads: {}, runs: 'clean' },
  card: {
    templates: [
      { ask: { en: 'Send a mail to {to}?' }, did: { en: '**Mail sent** to {to}' } },
      { ask: { en: 'Send it?' }, did: { en: '**Sent**' } },
    ],
    fields: [],
  },
  call: async () => 'sent',
};

const test = journey().override('parts', { tools: [send] });

type Client = Pick<Service, 'request'>;
type Waiting = { thread_id: string; gate: { id: string } };
type Output = { type: string; call_id: string; decided?: object; output: { text: string }[] };

async function ask(on: Client, message: string, thread_id?: string): Promise<Waiting> {
  const response = await on.request('/api/chat', { method: 'POST', body: JSON.stringify({ message, thread_id }) });
  expect(response.status).toBe(200);
  return (await response.json()) as Waiting;
}

const answer = async (on: Client, { gate }: Waiting, body: object) =>
  expect((await on.request(`/api/gates/${gate.id}`, { method: 'POST', body: JSON.stringify(body) })).status).toBe(202);

/** The newest output of the thread, once there are so many. */
const outputOf = (on: Client, { thread_id: id }: Waiting, count = 1) =>
  waitFor('the output of the call', async () => {
    const { items } = (await (await on.request(`/api/threads/${id}/items`)).json()) as { items: Output[] };
    const outputs = items.filter(({ type }) => type === 'function_call_output');
    return outputs.length === count && outputs.at(-1);
  });

const aTime = expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/);

test('an approved call says who approved it and when', async ({ service, home }) => {
  const waiting = await ask(service, 'use send {"to":"ann"}');
  await answer(service, waiting, { answer: 'approve' });
  const { decided } = await outputOf(service, waiting);

  expect(decided).toEqual({ answer: 'approved', by: 'owner', at: aTime });
  const [gate] = await home.query<{ at: Date }>('select answered_at as at from gates where id = $1', [waiting.gate.id]);
  expect(decided).toMatchObject({ at: gate?.at.toISOString() });
});

test('a denied call says so with the reason of the person, and without one', async ({ service }) => {
  const waiting = await ask(service, 'use send {}');
  await answer(service, waiting, { answer: 'deny', reason: ' Wait until Friday ' });
  const { decided } = await outputOf(service, waiting);
  expect(decided).toEqual({ answer: 'denied', by: 'owner', at: aTime, reason: 'Wait until Friday' });

  const silent = await ask(service, 'use send {}');
  await answer(service, silent, { answer: 'deny' });
  expect((await outputOf(service, silent)).decided).toEqual({ answer: 'denied', by: 'owner', at: aTime });
});

test('the answer of the operator to a gate of a user is theirs', async ({ service }) => {
  const { headers } = await addUser(service, 'Ann');
  const ann: Client = { request: (path, init) => service.request(path, { ...init, headers }) };
  const waiting = await ask(ann, 'use send {}');
  await answer(service, waiting, { answer: 'approve' });
  expect((await outputOf(ann, waiting)).decided).toEqual({ answer: 'approved', by: 'operator', at: aTime });

  const denied = await ask(ann, 'use send {}');
  await answer(service, denied, { answer: 'deny', reason: 'No.' });
  expect((await outputOf(ann, denied)).decided).toMatchObject({ answer: 'denied', by: 'operator', reason: 'No.' });
});

test('a call that "always" lets run says that a rule has allowed it', async ({ service, home }) => {
  const waiting = await ask(service, 'use send {"n":1}');
  await answer(service, waiting, { answer: 'always' });
  expect((await outputOf(service, waiting)).decided).toMatchObject({ answer: 'approved', by: 'owner' });

  await ask(service, 'use send {"n":1}', waiting.thread_id);
  expect((await outputOf(service, waiting, 2)).decided).toEqual({ answer: 'rule' });
  await home.query('delete from standing_approvals');
});

test('an approval that a replica of an older version has stored names no one', async ({ service, home }) => {
  await home.query(`
    create function forget_answerer() returns trigger language plpgsql as $$ begin new.answered_by := null; return new; end $$;
    create trigger forget_answerer before insert on approvals for each row execute function forget_answerer()`);
  const waiting = await ask(service, 'use send {}');
  await answer(service, waiting, { answer: 'approve' });
  const output = await outputOf(service, waiting);
  expect([output.output[0]?.text, output.decided]).toEqual(['sent', undefined]);
  await home.query('drop trigger forget_answerer on approvals; drop function forget_answerer()');
});

test('a Markdown export says how each call was decided', async ({ service }) => {
  const waiting = await ask(service, 'use send {"to":"ann"}');
  await answer(service, waiting, { answer: 'deny', reason: 'Wait until Friday' });
  await outputOf(service, waiting);
  const exported = await (await service.request(`/api/threads/${waiting.thread_id}/export`)).text();
  expect(exported).toMatch(/\*\*Denied:\*\* by you, \d{4}-\d\d-\d\dT[\d:.]+Z: “Wait until Friday”/);
});

test('the list of tools says how their calls read', async ({ service }) => {
  const { tools } = (await (await service.request('/api/tools')).json()) as {
    tools: { name: string; card?: { templates: { did: { en: string } }[] } }[];
  };
  const didOf = (name: string) => tools.find((tool) => tool.name === name)?.card?.templates[0]?.did.en;
  expect([didOf('send'), didOf('reborn_time')]).toEqual(['**Mail sent** to {to}', expect.stringContaining('**')]);
});
