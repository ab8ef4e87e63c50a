import { expect } from 'vitest';
import type { Tool } from '#tools/tool.ts';
import { journey } from '../../support/journey.ts';
import { type Service, WEBHOOK_SECRET } from '../../support/service.ts';
import { waitFor } from '../../support/wait-for.ts';

/** A tool that waits until its user has signed in. */
const signedIn = new Set<string>();
const door: Tool = {
  definition: { name: 'door', description: null, parameters: { type: 'object' }, strict: null },
  repeatable: true,
  flow: { reads: {}, runs: 'always' },
  level: 'allow',
  needsSignIn: async ({ userId }) => !signedIn.has(userId),
  call: async () => 'it is open',
};

const test = journey().override({
  settings: { HTTP_WEBHOOK_SECRET: WEBHOOK_SECRET },
  parts: { tools: [door], overdueGatesEveryMs: 50 },
});

test('a job follows its turn through a gate until the last turn ends', async ({ service, home }) => {
  const id = await waitingJob(service, 'ann');
  expect(await service.webhook.job(id)).not.toHaveProperty('completed_at');

  signedIn.add('operator');
  const [gate] = await home.query<{ id: string }>('select id from gates where turn_id = $1', [id]);
  const answered = await service.request(`/api/gates/${gate?.id}`, {
    method: 'POST',
    body: '{"answer":"approve","user_id":"operator"}',
  });

  expect(answered.status).toBe(202);
  const job = await service.webhook.completed(id);
  expect(job).toMatchObject({ id, status: 'completed', response: 'result: it is open' });
  expect(job).not.toHaveProperty('waiting_on');
});

test('a message to a waiting conversation is answered once its gate is closed', async ({ service, home }) => {
  const id = await waitingJob(service, 'bob', 'b');
  const next = await service.webhook.submit({ user_id: 'bob', message: 'say more', conversation_id: 'b' });
  expect(await service.webhook.job(next)).toMatchObject({ status: 'queued' });

  await home.query(`update gates set created_at = now() - interval '24 hours 1 second' where turn_id = $1`, [id]);
  expect(await service.webhook.completed(next)).toMatchObject({ response: 'more' });
  expect(await service.webhook.completed(id)).toMatchObject({ error: { code: 'pairing_required' } });
});

test('a gate without an answer for a day is denied, and the conversation continues', async ({ service, home }) => {
  const id = await waitingJob(service, 'cid', 'c');
  await home.query(`update gates set created_at = now() - interval '24 hours 1 second' where turn_id = $1`, [id]);
  const job = await service.webhook.completed(id);

  expect(job).toMatchObject({ status: 'completed', error: { code: 'pairing_required' } });
  expect(job).not.toHaveProperty('response');
  const [output] = await home.query<{ decided: object }>(
    `select body -> 'decided' as decided from items where body::text like '%Not run: denied.%' and turn_seq = 2
     and thread_id = (select thread_id from turns where id = $1)`,
    [id],
  );
  expect(output?.decided).toEqual({ answer: 'expired', at: expect.any(String) });
  const next = await service.webhook.submit({ user_id: 'cid', message: 'recite', conversation_id: 'c' });
  expect((await service.webhook.completed(next)).response).toContain('Not run: denied.');
});

test('a gate of a user who can answer it waits without a time limit', async ({ service, home }) => {
  signedIn.delete('operator');
  const { id } = await service.ask('use door {}');
  const turn = `${id.slice(5, 13)}-${id.slice(13, 17)}-${id.slice(17, 21)}-${id.slice(21, 25)}-${id.slice(25, 37)}`;
  const aged = await home.query(
    `update gates set created_at = now() - interval '7 days' where turn_id = $1 returning id`,
    [turn],
  );
  expect(aged).toHaveLength(1);
  const overdue = await waitingJob(service, 'dora');
  await home.query(`update gates set created_at = now() - interval '7 days' where turn_id = $1`, [overdue]);
  await service.webhook.completed(overdue); // the denial of this gate shows that the sweep saw the other too

  expect(await home.query('select id from gates where turn_id = $1 and answered_at is null', [turn])).toHaveLength(1);
});

async function waitingJob(service: Service, user_id: string, conversation_id?: string): Promise<string> {
  const id = await service.webhook.submit({ user_id, message: 'use door {}', conversation_id });
  await waitFor('the job to wait', async () => {
    const { status, waiting_on } = await service.webhook.job(id);
    return status === 'running' && waiting_on === 'pairing';
  });
  return id;
}
