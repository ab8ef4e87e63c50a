import { afterEach, expect, test } from 'vitest';
import { inspectTurn } from '#channels/gateway/threads/inspect-turn.ts';
import { turnIdOf } from '../../faults/cluster.ts';
import { freshHome } from '../../support/fresh-home.ts';
import { isSummaryPrompt, startScriptedModel } from '../../support/scripted-model.ts';
import { spawnService, startService, textOf } from '../../support/service.ts';

const turnInspection = inspectTurn.responses[200].json;
type Service = Awaited<ReturnType<typeof startService>>;

const cleanups: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

const WINDOW = 8000;

async function start(options: { window?: number; env?: Record<string, string> } = {}) {
  const home = await freshHome();
  cleanups.push(() => home.remove());
  const model = await startScriptedModel(options);
  cleanups.push(() => model.close());
  const service = await startService({
    ...home.env,
    LLM_PROVIDER: 'openai-compatible',
    LLM_MODEL: 'scripted',
    LLM_RETRY_SECS: '1',
    LLM_BASE_URL: model.url,
    LLM_CONTEXT_TOKENS: String(WINDOW),
    ...options.env,
  });
  cleanups.push(() => service.close());
  const summaries = () => model.seen.filter(isSummaryPrompt).length;
  return { home, model, service, summaries };
}

type Thread = ReturnType<typeof createThread>;

/** Sends messages one after another, each continuing the previous one. */
function createThread(service: Service) {
  const ids: string[] = [];
  return {
    ids,
    async say(input: string) {
      const response = await service.ask(input, ids.length > 0 ? { previous_response_id: ids.at(-1) } : {});
      if (response.status !== 'completed') throw new Error(`${response.status}: ${JSON.stringify(response.error)}`);
      ids.push(response.id);
      return response;
    },
  };
}

const filler = 'and so the day went on, with nothing much to tell of it. '.repeat(6);
const timed = async (act: () => Promise<unknown>) => {
  const begun = performance.now();
  await act();
  return performance.now() - begun;
};
/** Twenty turns of each, alternating. */
async function comparePace(long: Thread, short: Thread) {
  const [late, early]: [number[], number[]] = [[], []];
  for (let turn = 0; turn < 20; turn++) {
    late.push(await timed(() => long.say(`say yes ${turn} ${filler}`)));
    early.push(await timed(() => short.say(`say yes ${turn} ${filler}`)));
  }
  return { late: median(late), early: median(early), ratio: median(late) / median(early) };
}
const median = (values: number[]) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;

test('a thread of 500 turns is as fast as a short one and still knows what was said in turn 3', {
  timeout: 240_000,
}, async () => {
  const { model, service, summaries, home } = await start();
  const long = createThread(service);
  for (let turn = 1; turn <= 480; turn++)
    await long.say(turn === 3 ? 'say noted\nfact: the harbour master is called Ingrid' : `say yes ${turn} ${filler}`);

  // Turns 10 to 30 of another thread run beside turns 480 to 500 of this one, so that a busy machine slows both alike.
  const short = createThread(service);
  for (let turn = 1; turn < 10; turn++) await short.say(`say yes ${turn} ${filler}`);
  let pace = await comparePace(long, short);
  for (let again = 0; again < 2 && pace.ratio >= 1.3; again++) pace = await comparePace(long, short); // a busy moment
  const longest = Math.max(...model.seen.map(({ bytes }) => bytes)) / 4;
  console.log(
    `turn 500: ${pace.late.toFixed(1)} ms, turn 20: ${pace.early.toFixed(1)} ms, ratio ${pace.ratio.toFixed(2)}; ` +
      `longest prompt ${longest.toFixed(0)} tokens of ${WINDOW}; ${summaries()} summaries`,
  );

  expect(long.ids.length).toBeGreaterThanOrEqual(500);
  expect(longest).toBeLessThan(WINDOW);
  expect(pace.ratio).toBeLessThan(1.3);
  expect(summaries()).toBeGreaterThan(5);
  expect(summaries()).toBeLessThan(60); // rarely, so that prompts keep a common prefix
  expect(textOf(await long.say('recite'))).toContain('the harbour master is called Ingrid');

  // Everything that was said is still there.
  const [third] = await home.query<{ items: string }>('select count(*) as items from items');
  expect(Number(third?.items)).toBeGreaterThanOrEqual(1000);
  expect(textOf(await service.get(long.ids[2] ?? ''))).toBe('noted');
  const items = await service.request(`/api/v1/responses/${long.ids[2]}/input_items`);
  expect(JSON.stringify(await items.json())).toContain('Ingrid');
});

test('between two summaries each prompt starts with the previous one, and each can be inspected unchanged', async () => {
  const { model, service, summaries } = await start();
  const thread = createThread(service);
  while (summaries() < 2) await thread.say(`say yes ${filler}`);

  const asked = model.seen.map((prompt) =>
    isSummaryPrompt(prompt) ? null : JSON.stringify(prompt.messages).slice(0, -1),
  );
  const breaks = asked.filter((prompt, index) => {
    const before = asked[index - 1];
    return prompt !== null && before !== null && before !== undefined && !prompt.startsWith(before);
  });
  expect(breaks).toEqual([]);

  const told = model.seen.filter((prompt) => !isSummaryPrompt(prompt)).map(({ messages }) => messages.slice(1));
  const inspected = await Promise.all(thread.ids.map((id) => inspect(service, id)));
  expect(inspected.map(({ prompt }) => prompt.messages.map(({ role, text }) => ({ role, text })))).toEqual(
    told.map((messages) => messages.map(({ role, text }) => ({ role, text }))),
  );
  expect(inspected[0]?.summary).toBeNull();
  expect(inspected.at(-1)).toMatchObject({
    summary: { turn_id: turnIdOf(thread.ids.at(-1) ?? ''), model: 'scripted', usage: { input_tokens: 10 } },
  });
  expect(inspected.at(-1)?.prompt.messages[0]?.text).toContain(inspected.at(-1)?.summary?.text);
});

async function inspect(service: Service, responseId: string) {
  const response = await service.request(`/api/turns/${turnIdOf(responseId)}`);
  return turnInspection.parse(await response.json());
}

test('a model with a smaller window than configured gets a shorter prompt once, and the turn continues', async () => {
  const { model, service, summaries } = await start({ window: 9000 });
  const thread = createThread(service);
  await thread.say('say noted\nfact: the key is under the mat');
  for (let turn = 0; turn < 40; turn++) await thread.say(`say yes ${filler}`);

  expect(summaries()).toBeGreaterThan(1);
  expect(model.seen.filter(({ bytes }) => bytes > 9000).length).toBeGreaterThan(0);
  expect(textOf(await thread.say('recite'))).toContain('the key is under the mat');
});

test('an input that is too long by itself fails with an explanation, and the thread continues', async () => {
  const { model, service, summaries } = await start();
  const thread = createThread(service);
  await thread.say('say begin');
  const before = model.seen.length;

  const failed = await service.ask(`say no ${'x'.repeat(WINDOW * 5)}`, { previous_response_id: thread.ids.at(-1) });

  expect(failed).toMatchObject({ status: 'failed', error: { code: 'model_error' } });
  expect(failed.error?.message).toMatch(/tokens are more than the model scripted can read/);
  expect(model.seen).toHaveLength(before);

  thread.ids.push(failed.id);
  expect(textOf(await thread.say('say on'))).toBe('on');
  expect(summaries()).toBe(1);
});

test('a call and its output stay together when the thread is compacted', async () => {
  const { model, service } = await start();
  const thread = createThread(service);
  await thread.say('say begin');
  const asking = async (input: unknown) =>
    service.ask(input, {
      previous_response_id: thread.ids.at(-1),
      tools: [{ type: 'function', name: 'look', parameters: { type: 'object' } }],
    });
  for (let round = 0; round < 12; round++) {
    const called = await asking(`use look {"round":${round}}`);
    thread.ids.push(called.id);
    const call = called.output.find(({ type }) => type === 'function_call');
    const output = { type: 'function_call_output', call_id: call?.call_id, output: `${round}: ${filler.repeat(4)}` };
    const answered = await asking([output]);
    expect(textOf(answered)).toContain(`result: ${round}: and so`);
    thread.ids.push(answered.id);
  }
  expect(model.seen.some(isSummaryPrompt)).toBe(true);
  expect(JSON.stringify(model.seen)).not.toContain('No result was recorded');
});

test('a failed summary fails the turn, and the next turn tries again', async () => {
  const { model, service, summaries, home } = await start();
  const thread = createThread(service);
  await thread.say('say noted\nfact: the boat is red');
  model.hooks.onPrompt = (prompt) => {
    if (isSummaryPrompt(prompt)) throw new Error('cuts the line');
  };
  const failed = await sayUntil(() => summaries() > 0);
  expect(failed).toMatchObject({ status: 'failed', error: { code: 'model_error' } });
  expect(await home.query('select from summaries')).toHaveLength(0);

  delete model.hooks.onPrompt;
  thread.ids.push(failed?.id ?? '');
  expect(textOf(await thread.say('recite'))).toContain('the boat is red');
  const rows = await home.query('select text, usage from summaries');
  expect(rows).toMatchObject([{ text: expect.stringContaining('the boat is red'), usage: { inputTokens: 10 } }]);

  async function sayUntil(done: () => boolean) {
    for (let turn = 0; turn < 100; turn++) {
      const response = await service.ask(`say yes ${filler}`, { previous_response_id: thread.ids.at(-1) });
      if (done()) return response;
      thread.ids.push(response.id);
    }
    return undefined;
  }
});

test('if a process dies while it writes a summary, another process writes it', async () => {
  const { model, service, home } = await start();
  const thread = createThread(service);
  await thread.say('say noted\nfact: the ferry leaves at nine');
  const env = {
    ...home.env,
    LLM_PROVIDER: 'openai-compatible',
    LLM_MODEL: 'scripted',
    LLM_CONTEXT_TOKENS: String(WINDOW),
  };
  const doomed = await spawnService({ ...env, LLM_BASE_URL: model.urlFor('doomed') });
  cleanups.push(() => doomed.kill());
  let killed = false;
  model.hooks.onPrompt = (prompt) => {
    if (killed || prompt.by !== 'doomed' || !isSummaryPrompt(prompt)) return;
    killed = true;
    void doomed.kill();
  };
  for (let turn = 0; turn < 200 && !killed; turn++) {
    const accepted = await service.ask(`say yes ${filler}`, { previous_response_id: thread.ids.at(-1) });
    expect(accepted.status).toBe('completed');
    thread.ids.push(accepted.id);
    // Any replica with free capacity claims turns: let the doomed one take some too.
    const other = await doomed
      .ask(`say yes ${filler}`, { previous_response_id: thread.ids.at(-1) })
      .catch(() => undefined);
    if (other) thread.ids.push(other.id);
    if (turn % 5 === 0) await thread.say(`say yes ${filler}`); // otherwise the same replica might summarise every time
  }
  expect(killed).toBe(true);
  expect(textOf(await thread.say('recite'))).toContain('the ferry leaves at nine');
  const places = await home.query('select through_seq, through_position from summaries');
  expect(places.length).toBeGreaterThan(0);
  const [turns] = await home.query(`select count(*) filter (where status = 'completed') = count(*) as all from turns`);
  expect(turns).toEqual({ all: true });

  // Written items are counted once.
  const [counted] = await home.query(`
    select (select sum(input_tokens)::int from usage_days) as ledger,
      (select sum((usage->>'inputTokens')::int)::int from items)
        + (select sum((usage->>'inputTokens')::int)::int from summaries) as written`);
  expect(counted?.['ledger']).toBe(counted?.['written']);
});
