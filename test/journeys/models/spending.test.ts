import { afterEach, expect, test } from 'vitest';
import { addUser } from '../../support/accounts.ts';
import { freshHome } from '../../support/fresh-home.ts';
import { startScriptedModel } from '../../support/scripted-model.ts';
import { startService, TOKEN, textOf } from '../../support/service.ts';
import { waitFor } from '../../support/wait-for.ts';

const cleanups: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

/** Each answer of the scripted model counts as 10 tokens in and 5 out. */
const PER_CALL = 15;

async function start(replicas: number, env: Record<string, string>) {
  const home = await freshHome();
  cleanups.push(() => home.remove());
  const model = await startScriptedModel();
  cleanups.push(() => model.close());
  const provider = { LLM_PROVIDER: 'openai-compatible', LLM_MODEL: 'scripted', LLM_BASE_URL: model.url };
  const services: Awaited<ReturnType<typeof startService>>[] = [];
  for (let index = 0; index < replicas; index++) {
    const service = await startService({ ...home.env, ...provider, ...env });
    cleanups.push(() => service.close());
    services.push(service);
  }
  const usage = async () => {
    const [service] = services;
    if (!service) throw new Error('No service was started.');
    const answer = await service.request('/api/usage?days=1');
    return ((await answer.json()) as { usage: Record<string, unknown>[] }).usage;
  };
  return { home, model, services, usage };
}

test('50 concurrent turns on two replicas exceed a limit by at most one call each', async () => {
  const limit = 100 * PER_CALL;
  const { home, model, services } = await start(2, { USER_TOKENS_PER_DAY: String(limit) });
  const lane = async (index: number) => {
    for (let round = 0; round < 100; round++) {
      const response = await services[index % 2]?.ask(round % 2 ? 'say hello' : 'use reborn_time {}');
      if (response?.status === 'failed') return response.error;
    }
    return null;
  };
  const ends = await Promise.all(Array.from({ length: 50 }, (_, index) => lane(index)));

  for (const end of ends) expect(end).toMatchObject({ code: 'budget_exceeded' });
  expect(ends[0]?.message).toMatch(
    /^\d+ of the 1500 tokens that you may use in a day .* after \d{4}-\d\d-\d\dT00:00:00Z/,
  );
  expect(model.seen.length).toBeGreaterThanOrEqual(100);
  expect(model.seen.length).toBeLessThanOrEqual(100 + 50);

  const [counted] = await home.query(
    'select sum(calls)::int as calls, sum(input_tokens + output_tokens)::int as tokens from usage_days',
  );
  expect(counted).toEqual({ calls: model.seen.length, tokens: model.seen.length * PER_CALL });
});

test('a turn that reaches its limit half way fails at that point', async () => {
  const { services } = await start(1, { USER_TOKENS_PER_DAY: String(PER_CALL) });
  const failed = await services[0]?.ask('use reborn_time {}');

  expect(failed).toMatchObject({
    status: 'failed',
    error: { code: 'budget_exceeded' },
    usage: { total_tokens: PER_CALL },
  });
});

test("a user's limits replace the default ones, and usage of earlier days does not count", async () => {
  const { home, services } = await start(1, { USER_TOKENS_PER_DAY: '10' });
  const ask = async () => (await services[0]?.ask('say hello'))?.status;

  expect(await ask()).toBe('completed');
  expect(await ask()).toBe('failed');
  const setLimits = (limits: object) =>
    services[0]?.request('/api/users/operator/limits', { method: 'PUT', body: JSON.stringify(limits) });
  await setLimits({ tokens_per_day: 40, usd_per_day: null });
  expect(await ask()).toBe('completed');
  expect(await ask()).toBe('completed');
  expect(await ask()).toBe('failed');
  await home.query('update usage_days set day = day - 1');
  expect(await ask()).toBe('completed');

  await setLimits({ tokens_per_day: null, usd_per_day: null });
  expect(await ask()).toBe('failed'); // the default limits apply again
});

test('a call without a known price counts by tokens only', async () => {
  const { services, usage } = await start(1, { USER_USD_PER_DAY: '0.000001' });

  expect((await services[0]?.ask('say one'))?.status).toBe('completed');
  expect((await services[0]?.ask('say two'))?.status).toBe('completed');
  expect(await usage()).toMatchObject([{ calls: 2, unpriced_calls: 2, cost_usd: '0.000000' }]);
});

test('a known price counts against the limit in dollars', async () => {
  const { services, usage } = await start(1, { LLM_MODEL: 'gpt-4o', USER_USD_PER_DAY: '0.0001' });
  const ends = [];
  for (let turn = 0; turn < 4; turn++) ends.push(await services[0]?.ask('say hello'));

  expect(ends.map((end) => end?.status)).toEqual(['completed', 'completed', 'failed', 'failed']);
  expect(ends[2]?.error?.message).toContain('US dollars');
  expect(await usage()).toMatchObject([{ calls: 2, unpriced_calls: 0, cost_usd: '0.000150' }]);
});

test('the usage ledger includes failures and counts every token once', async () => {
  const { home, services, usage } = await start(1, {});
  await services[0]?.ask('say hello');
  await services[0]?.ask('use reborn_time {}');
  await services[0]?.ask('break 400');
  const broken = await services[0]?.ask('cut'); // it streams two pieces and never reports usage

  const today = new Date().toISOString().slice(0, 10);
  expect(await usage()).toEqual([
    {
      day: today,
      user_id: 'operator',
      provider: 'openai-compatible',
      model: 'scripted',
      calls: 5,
      errors: 2,
      input_tokens: 30 + (broken?.usage.input_tokens ?? 0),
      cached_tokens: 0,
      output_tokens: 15 + 2,
      cost_usd: '0.000000',
      unpriced_calls: 4,
      latency_ms: expect.any(Number),
    },
  ]);
  expect(broken?.usage.input_tokens).toBeGreaterThan(100);
  const [items] = await home.query(`select sum((usage->>'inputTokens')::int)::int as tokens from items`);
  expect(items).toEqual({ tokens: 30 });
});

test('a cancelled call counts with its prompt and its streamed text against the limit', async () => {
  const { home, services } = await start(1, { USER_TOKENS_PER_DAY: '100' });
  const [service] = services;
  const { id } = (await service?.ask('count 1000 every 10', { background: true })) ?? { id: '' };
  await waitFor('it to speak', async () => (await home.query('select from turn_events')).length > 0);
  await service?.request(`/api/v1/responses/${id}/cancel`, { method: 'POST', body: '{}' });
  const { usage } = await waitFor('it to be cancelled', async () => {
    const response = await service?.get(id);
    return response?.status === 'cancelled' && response;
  });

  expect(usage.input_tokens).toBeGreaterThan(100);
  expect(usage.output_tokens).toBeGreaterThan(1);
  const [counted] = await home.query(
    `select sum(calls)::int as calls, sum(errors)::int as errors, sum(input_tokens)::int as input_tokens,
       sum(output_tokens)::int as output_tokens from usage_days`,
  );
  const { input_tokens, output_tokens } = usage;
  expect(counted).toEqual({ calls: 1, errors: 0, input_tokens, output_tokens });
  expect((await service?.ask('say let in'))?.error).toMatchObject({ code: 'budget_exceeded' });
});

test('members see their own use and limit, and operators the use of everyone by name', async () => {
  const { services } = await start(1, { USER_TOKENS_PER_DAY: '100' });
  const [service] = services;
  if (!service) throw new Error('No service was started.');
  const ann = await addUser(service, 'Ann');
  const read = async (headers: Record<string, string> = {}) => {
    const { usage, names, limits } = (await (await service.request('/api/usage', { headers })).json()) as {
      usage: { user_id: string }[];
      names: object;
      limits: object;
    };
    return { users: usage.map((row) => row.user_id), names, limits };
  };
  await service.ask('say mine');
  const chat = JSON.stringify({ model: 'm', input: 'say hers' });
  await service.request('/api/v1/responses', { method: 'POST', headers: ann.headers, body: chat });

  const byDefault = { tokens_per_day: 100, usd_per_day: null, request: null };
  expect(await read(ann.headers)).toEqual({ users: [ann.id], names: {}, limits: byDefault });
  const all = await read();
  expect(all.users.toSorted()).toEqual([ann.id, 'operator'].toSorted());
  expect([all.names, all.limits]).toEqual([{ [ann.id]: 'Ann' }, byDefault]);

  const own = { tokens_per_day: null, usd_per_day: 2.5 };
  await service.request(`/api/users/${ann.id}/limits`, { method: 'PUT', body: JSON.stringify(own) });
  expect((await read(ann.headers)).limits).toEqual({ ...own, request: null });

  const ask = async () =>
    (await service.request('/api/limits/requests', { method: 'POST', headers: ann.headers })).status;
  const asked = async () => {
    const answer = await service.request('/api/limits/requests');
    return ((await answer.json()) as { requests: { user_id: string; name: string }[] }).requests;
  };
  expect([await ask(), await ask()]).toEqual([204, 204]);
  expect(await asked()).toMatchObject([{ user_id: ann.id, name: 'Ann' }]);
  expect((await read(ann.headers)).limits).toMatchObject({ request: 'open' });
  expect((await service.request(`/api/limits/requests/${ann.id}`, { method: 'DELETE' })).status).toBe(204);
  expect([await ask(), await asked()]).toEqual([204, []]); // once a day
  expect((await read(ann.headers)).limits).toMatchObject({ request: 'dismissed' });

  await service.request(`/api/users/${ann.id}/limits`, { method: 'PUT', body: JSON.stringify(own) });
  expect((await read(ann.headers)).limits).toMatchObject({ request: null });
  await ask();
  expect(await asked()).toHaveLength(1);
});

test('the number of days is validated, and a request without a valid token is refused', async () => {
  const { services } = await start(1, {});

  expect((await services[0]?.request('/api/usage?days=0'))?.status).toBe(400);
  expect((await services[0]?.request('/api/usage?days=many'))?.status).toBe(400);
  const stranger = await services[0]?.request('/api/usage', { headers: { authorization: `Bearer not-${TOKEN}` } });
  expect(stranger?.status).toBe(401);
  expect(textOf((await services[0]?.ask('say done')) ?? ({ output: [] } as never))).toBe('done');
});
