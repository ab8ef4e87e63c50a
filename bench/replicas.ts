import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { startAlone } from '../test/faults/postgres-pair.ts';
import { BARE_ENV } from '../test/support/bare-env.ts';
import { freshHome } from '../test/support/fresh-home.ts';
import { startPooler } from '../test/support/pooler.ts';
import { readStream } from '../test/support/read-stream.ts';
import { followScript, startScriptedModel } from '../test/support/scripted-model.ts';
import { clientOf, SETTINGS } from '../test/support/service.ts';
import { waitFor } from '../test/support/wait-for.ts';
import { givenWords } from './given-words.ts';
import { cpuOf, postgresCpu } from './process-cost.ts';

/**
 * Many replicas, each a real process, on one PostgreSQL with 100 connections behind PgBouncer in session mode: idle, with
 * streams that are read on another replica than the one that runs the turn, and after the loss of one and of half of them.
 * `npm run bench:replicas -- 50`
 */
const REPLICAS = Number(givenWords[0] ?? 50);
const MAX_CONNECTIONS = 100;
/** PostgreSQL keeps three for superusers, and this program uses two. */
const POOLED = MAX_CONNECTIONS - 6;
const STARTS_AT_ONCE = 4;
const IDLE_SECONDS = 10;
const LOAD_SECONDS = 10;
const ROUNDS = Math.min(5, Math.floor(REPLICAS / 4));
const TURNS_OF_VICTIM = 4;
/** With more, the connections are few anyway. */
const FEW = 20;

await using cleanup = new AsyncDisposableStack();
const home = await freshHome({ empty: true });
cleanup.defer(() => home.remove());
const server = await startAlone(MAX_CONNECTIONS);
cleanup.defer(() => server.close());
const pooler = await startPooler(server.connection, {
  pool_mode: 'session',
  default_pool_size: POOLED,
  max_client_conn: 10_000,
});
cleanup.use(pooler);
// Turns of a takeover never end by themselves, so that exactly these are counted.
const model = await startScriptedModel({
  decide: (prompt) => (prompt.messages.at(-1)?.text.startsWith('held') ? { hang: true } : followScript(prompt)),
});
cleanup.defer(() => model.close());

const admin = new pg.Client(pooler.adminUrl);
const observer = new pg.Client(server.connection); // not through the pooler
await Promise.all([admin.connect(), observer.connect()]);
cleanup.defer(async () => {
  await Promise.all([admin.end(), observer.end()]);
});
let signals = 0;
observer.on('notification', () => signals++);
await observer.query('listen reborn');

type Replica = Awaited<ReturnType<typeof startReplica>>;
const replicas: Replica[] = [];
cleanup.defer(() => killAll(replicas));

async function startReplica() {
  const child = spawn(path.resolve('bin/reborn'), ['serve'], {
    env: {
      ...BARE_ENV,
      ...SETTINGS,
      REBORN_HOME: home.home,
      DATABASE_URL: pooler.url,
      SECRETS_KEY: '0'.repeat(64),
      LLM_PROVIDER: 'openai-compatible',
      LLM_MODEL: 'scripted',
      LLM_BASE_URL: model.url,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (data) => (output += String(data)));
  const exited = once(child, 'exit');
  const url = await waitFor(
    'a replica to listen',
    async () => {
      if (child.exitCode !== null) throw new Error(`The replica ended:\n${output}`);
      return /The gateway is at (\S+)/.exec(output)?.[1];
    },
    120_000,
  );
  return {
    ...clientOf(url),
    pid: child.pid ?? 0,
    errors: () => output.split('\n').filter((line) => line.includes('"level":50')).length,
    kill: async () => {
      child.kill('SIGKILL');
      await exited;
    },
  };
}

async function startUntil(count: number): Promise<void> {
  while (replicas.length < count) {
    const starts = Array.from({ length: Math.min(STARTS_AT_ONCE, count - replicas.length) }, startReplica);
    replicas.push(...(await Promise.all(starts)));
  }
}

async function killAll(victims: readonly Replica[]): Promise<void> {
  await Promise.all(victims.map((victim) => victim.kill()));
}

const total = <T>(values: readonly T[], of: (value: T) => number) => values.reduce((sum, value) => sum + of(value), 0);

/** Of all replicas together; CPU in ms. */
async function read() {
  const { rows } = await admin.query<{ database: string; total_query_count: string }>('show stats');
  return {
    at: performance.now(),
    statements: Number(rows.find(({ database }) => database === 'through')?.total_query_count),
    signals,
    postgres: postgresCpu(server.postmaster),
    nodes: new Map(replicas.map(({ pid }) => [pid, cpuOf(pid)])),
  };
}

async function countConnections() {
  const { rows } = await admin.query<{ database: string; cl_waiting: number; sv_active: number }>('show pools');
  const pool = rows.find(({ database }) => database === 'through');
  return { used: pool?.sv_active ?? 0, waiting: pool?.cl_waiting ?? 0 };
}

/** What happens per second while `act` runs. */
async function measure(title: string, act: () => Promise<void>): Promise<void> {
  const before = await read();
  let most = { used: 0, waiting: 0 };
  let over = false;
  const looking = (async () => {
    while (!over) {
      const { used, waiting } = await countConnections();
      most = { used: Math.max(most.used, used), waiting: Math.max(most.waiting, waiting) };
      await sleep(200);
    }
  })();
  try {
    await act();
  } finally {
    over = true;
    await looking;
  }
  const after = await read();
  const seconds = (after.at - before.at) / 1000;
  const rate = (key: 'statements' | 'signals') => ((after[key] - before[key]) / seconds).toFixed(1);
  const share = (ms: number) => `${(ms / seconds / 10).toFixed(0)} %`;
  const nodes = total([...after.nodes], ([pid, used]) => used - (before.nodes.get(pid) ?? 0)); // only processes that still run
  console.log(
    `${title}: ${rate('statements')} statements/s, ${rate('signals')} NOTIFY/s, at most ${most.used} connections in use ` +
      `and ${most.waiting} waiting; of a core: PostgreSQL ${share(after.postgres - before.postgres)}, all replicas ${share(nodes)}`,
  );
}

/** Each replica reads streams of turns that run on the next one, one after another. */
async function load(): Promise<void> {
  const end = performance.now() + LOAD_SECONDS * 1000;
  const times: number[] = [];
  let failed = 0;
  const lanes = replicas.map(async (replica, index) => {
    const other = replicas[(index + 1) % replicas.length] ?? replica;
    while (performance.now() < end) {
      const begun = performance.now();
      try {
        const { id } = await replica.ask('count 10 every 100', { background: true, stream: false });
        const stream = await other.request(`/api/v1/responses/${id}?stream=true`);
        const events = await Array.fromAsync(readStream(stream));
        if (events.at(-1)?.type !== 'response.completed') throw new Error('The stream ended early.');
        times.push(performance.now() - begun);
      } catch {
        failed++;
      }
    }
  });
  await Promise.all(lanes);
  console.log(
    `  ${times.length} streams of 1.0 s through another replica: ${percentiles(times)}; ${failed} requests failed`,
  );
}

const percentiles = (values: readonly number[]): string => {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (share: number) => `${((sorted[Math.ceil(sorted.length * share) - 1] ?? 0) / 1000).toFixed(2)} s`;
  return `p50 ${at(0.5)}, p95 ${at(0.95)}, longest ${at(1)}`;
};

let round = 0;

/** Kills replicas that run turns, and returns how long it took until the model was asked again for each turn. */
async function takeOver(count: number): Promise<number[]> {
  const name = `held ${++round} `;
  const asked = () => model.seen.filter(({ messages }) => messages.at(-1)?.text.startsWith(name));
  const victims = replicas.splice(0, count); // the oldest, which judge the others
  const ids: string[] = [];
  // One after the other: all at once, they would want more connections than there are.
  for (const [index, victim] of victims.entries())
    for (let turn = 0; turn < TURNS_OF_VICTIM; turn++)
      ids.push((await victim.ask(`${name}${index} ${turn}`, { background: true })).id);
  await waitFor('the turns to run', async () => asked().length === ids.length, 60_000);
  const killed = performance.now();
  await killAll(victims);
  await waitFor('the turns to continue', async () => asked().length >= 2 * ids.length, 60_000);
  const gaps = asked()
    .slice(ids.length)
    .map(({ at }) => at - killed);
  const [survivor] = replicas;
  await Promise.all(
    ids.map(async (id) => survivor?.request(`/api/v1/responses/${id}/cancel`, { method: 'POST', body: '{}' })),
  );
  return gaps;
}

console.log(`${REPLICAS} replicas, max_connections ${MAX_CONNECTIONS}, ${POOLED} of them in the pooler`);
const started = performance.now();
await startUntil(REPLICAS);
console.log(`started in ${((performance.now() - started) / 1000).toFixed(0)} s, ${STARTS_AT_ONCE} at a time`);

// An idle replica holds one or two connections, and sometimes a third.
await waitFor('idle connections to close', async () => (await countConnections()).used <= REPLICAS * 1.8, 60_000);
await measure(`idle for ${IDLE_SECONDS} s`, () => sleep(IDLE_SECONDS * 1000));
const memory = replicas.map(({ pid }) =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]),
);
console.log(`  memory of a replica: ${(total(memory, (kb) => kb) / memory.length / 1000).toFixed(0)} MB`);
await measure('with streams', load);

if (REPLICAS <= FEW) {
  // As if there were many more replicas: the listening connections leave only five for all other work.
  await admin.query(`set default_pool_size = ${REPLICAS + 5}`);
  await waitFor('idle connections to close', async () => (await countConnections()).used <= REPLICAS + 5, 60_000);
  await measure('with streams and five connections more than replicas', load);
  await admin.query(`set default_pool_size = ${POOLED}`);
}

const gaps: number[] = [];
for (let each = 0; each < ROUNDS; each++) {
  await sleep(2500); // a replica judges others after two steady seconds
  gaps.push(...(await takeOver(1)));
}
console.log(`the oldest replica killed, ${ROUNDS} times, ${gaps.length} turns continue: ${percentiles(gaps)}`);
const half = Math.floor(replicas.length / 2);
await sleep(2500);
await measure('half killed at once', async () => {
  const all = await takeOver(half);
  console.log(
    `the ${half} oldest of ${half + replicas.length} killed at once, ${all.length} turns continue: ${percentiles(all)}`,
  );
});
console.log(`errors in the logs of the survivors: ${total(replicas, (replica) => replica.errors())}`);
