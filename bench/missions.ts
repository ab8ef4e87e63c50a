import { spawn } from 'node:child_process';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freshHome } from '../test/support/fresh-home.ts';
import { startScriptedModel } from '../test/support/scripted-model.ts';
import { clientOf, SETTINGS } from '../test/support/service.ts';
import { waitFor } from '../test/support/wait-for.ts';
import { givenWords } from './given-words.ts';
import { cpuOf, findPostmaster, postgresCpu } from './process-cost.ts';

/**
 * (1) 100,000 missions of 10,000 users: what the scheduler costs while none is due, and the delay from due to started at 200 due
 * per minute. (2) A start after six hours without the service, with 50 missions of each misfire policy that are due every ten
 * minutes: what becomes of their due times, how the runs arrive, and how long a chat takes meanwhile. Linux only.
 * `npm run bench:missions -- 1` measures for one minute at a time instead of two.
 */
const MINUTES = Number(givenWords[0] ?? 2);
const MISSIONS = 100_000;
const USERS = 10_000;
const DUE_PER_MINUTE = 200;
const PER_POLICY = 50;
const OUTAGE_HOURS = 6;
const POLICIES = ['skip', 'latest', 'all'];

const [model, home] = await Promise.all([startScriptedModel(), freshHome()]);

async function startService() {
  const child = spawn(path.resolve('bin/reborn'), ['serve'], {
    env: {
      PATH: process.env['PATH'],
      ...SETTINGS,
      ...home.env,
      LLM_PROVIDER: 'openai-compatible',
      LLM_MODEL: 'scripted',
      LLM_BASE_URL: model.url,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  child.stdout.on('data', (data) => (output += String(data)));
  const url = await waitFor('the service to listen', async () => /The gateway is at (\S+)/.exec(output)?.[1], 120_000);
  const stop = async () => {
    const exited = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGTERM');
    await exited;
  };
  return { ...clientOf(url), pid: child.pid ?? 0, stop };
}

const one = async <T extends object>(statement: string, values: unknown[] = []): Promise<T> => {
  const [row] = await home.query<T & Record<string, unknown>>(statement, values);
  if (!row) throw new Error('The query returned nothing.');
  return row;
};

/** Statements of the whole service, and the CPU time of Node and PostgreSQL, per second. */
async function measureIdle(pid: number, seconds: number) {
  const postmaster = await findPostmaster((statement) => home.query(statement));
  const read = async () => ({
    commits: Number((await one<{ n: string }>(`select sum(xact_commit) as n from pg_stat_database`)).n),
    node: cpuOf(pid),
    postgres: postmaster === undefined ? Number.NaN : postgresCpu(postmaster),
  });
  const before = await read();
  await sleep(seconds * 1000);
  const after = await read();
  return {
    transactions: (after.commits - before.commits) / seconds,
    node: (after.node - before.node) / seconds,
    postgres: (after.postgres - before.postgres) / seconds,
  };
}

const INSERT = `
  insert into missions (id, user_id, name, instruction, schedule, tz_version, keeps_thread, misfire, overlap, pause_after, next_due_at)
  select gen_random_uuid(), 'user-' || n % $2::integer, $5, 'say done',
    json_build_object('kind', 'interval', 'everyMinutes', $6::integer, 'anchor',
      to_char(due at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')),
    $3, false, $4, 'skip', 5, due
  from (select n, date_trunc('second', now() + $7::interval + n * $8::interval) as due from generate_series(0, $1::integer - 1) as n) as times`;

const insert = (given: {
  count: number;
  users: number;
  misfire: string;
  name: string;
  every: number;
  after: string;
  apart: string;
}) =>
  home.query(INSERT, [
    given.count,
    given.users,
    process.versions['tz'],
    given.misfire,
    given.name,
    given.every,
    given.after,
    given.apart,
  ]);

/** Milliseconds of one chat after the other, until `until`. */
async function chat(service: Awaited<ReturnType<typeof startService>>, until: number): Promise<number[]> {
  const times: number[] = [];
  while (Date.now() < until) {
    const started = performance.now();
    await (await service.request('/api/chat', { method: 'POST', body: '{"message":"say hi"}' })).text();
    times.push(performance.now() - started);
    await sleep(100);
  }
  return times;
}

const percentile = (values: readonly number[], share: number) =>
  values.toSorted((a, b) => a - b)[Math.ceil(values.length * share) - 1] ?? Number.NaN;

const say = (line: string) => process.stdout.write(`${line}\n`);

let service = await startService();
try {
  const empty = await measureIdle(service.pid, 20);
  say(
    `no missions: ${empty.transactions.toFixed(1)} transactions/s, CPU ms/s: Node ${empty.node.toFixed(1)}, PostgreSQL ${empty.postgres.toFixed(1)}`,
  );
  await insert({
    count: MISSIONS,
    users: USERS,
    misfire: 'latest',
    name: 'crowd',
    every: 1440,
    after: '20 hours',
    apart: '0.5 s',
  });
  await home.query('analyze missions');
  const idle = await measureIdle(service.pid, 20);
  say(
    `${MISSIONS} missions: ${idle.transactions.toFixed(1)} transactions/s, CPU ms/s: Node ${idle.node.toFixed(1)}, PostgreSQL ${idle.postgres.toFixed(1)}`,
  );

  const due = DUE_PER_MINUTE * MINUTES;
  await insert({
    count: due,
    users: USERS,
    misfire: 'latest',
    name: 'due',
    every: 1440,
    after: '3 s',
    apart: `${60 / DUE_PER_MINUTE} s`,
  });
  await sleep(MINUTES * 60_000);
  const runs = await waitFor(
    'the runs to end',
    async () => {
      const row = await one<{ count: number; p50: number; p95: number }>(
        `select count(*)::integer as count, percentile_cont(0.5) within group (order by extract(epoch from started_at - slot))::float8 as p50,
           percentile_cont(0.95) within group (order by extract(epoch from started_at - slot))::float8 as p95
         from occurrences where state = 'completed'`,
      );
      return row.count === due ? row : undefined;
    },
    300_000,
  );
  say(
    `${DUE_PER_MINUTE} due per minute: ${runs.count} runs, from due to started p50 ${runs.p50.toFixed(2)} s, p95 ${runs.p95.toFixed(2)} s`,
  );

  await home.query(`delete from missions`);
  const usual = await chat(service, Date.now() + 30_000);
  await service.stop();
  for (const misfire of POLICIES)
    await insert({
      count: PER_POLICY,
      users: PER_POLICY,
      misfire,
      name: misfire,
      every: 10,
      after: `-${OUTAGE_HOURS} hours`,
      apart: '10 s',
    });
  service = await startService();
  const meanwhile = await chat(service, Date.now() + 150_000);
  for (const misfire of POLICIES) {
    const states = await home.query<{ state: string; count: number }>(
      `select occurrences.state, count(*)::integer from occurrences join missions on missions.id = mission_id
       where missions.name = $1 and slot < now() - interval '4 minutes' group by 1 order by 1`,
      [misfire],
    );
    say(`${OUTAGE_HOURS} hours down, ${misfire}: ${states.map(({ state, count }) => `${count} ${state}`).join(', ')}`);
  }
  const arrival = await one<{ most: number; seconds: number }>(
    `select max(n)::integer as most, extract(epoch from max(at) - min(at))::integer as seconds
     from (select date_trunc('second', started_at) as at, count(*) as n from occurrences where is_late and started_at is not null group by 1) as per_second`,
  );
  say(`late runs started within ${arrival.seconds} s, at most ${arrival.most} in one second`);
  say(
    `chat p50/p95: ${percentile(usual, 0.5).toFixed(0)}/${percentile(usual, 0.95).toFixed(0)} ms before, ${percentile(meanwhile, 0.5).toFixed(0)}/${percentile(meanwhile, 0.95).toFixed(0)} ms during the catch-up`,
  );
} finally {
  await service.stop();
  await model.close();
  await home.remove();
}
