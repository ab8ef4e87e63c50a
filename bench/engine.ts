import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { cpus, tmpdir } from 'node:os';
import path from 'node:path';
import pg from 'pg';
import { createAgent } from '#agent/agent.ts';
import { createAttachments } from '#agent/attachments/attachments.ts';
import { createProjectFiles } from '#agent/projects/project-files.ts';
import { createRunner } from '#agent/turn/run-claimed-turn.ts';
import { createSafety } from '#agent/turn/safety.ts';
import { createTurnLog } from '#agent/turn/turn-log.ts';
import type { TurnReply } from '#agent/watch/turn-reply.ts';
import { createStoredFiles } from '#agent/workspace/stored-files.ts';
import { measurePools } from '#database/measured-pool.ts';
import { migrateDatabase } from '#database/migrate.ts';
import { openDatabase } from '#database/open-database.ts';
import { PreparingClient } from '#database/preparing-client.ts';
import { newId, type ReplicaId, type ThreadId } from '#domain/ids.ts';
import { OPERATOR, type Principal } from '#domain/principal.ts';
import { type NewItem, text, textOf } from '#domain/thread/item.ts';
import { NO_USAGE } from '#domain/usage.ts';
import { startEngine } from '#engine/engine.ts';
import type { RunTurn } from '#engine/running/turn-run.ts';
import type { Model } from '#models/model.ts';
import { createSecretSearch } from '#safety/secrets/secret-search.ts';
import { isAway } from '#store/away.ts';
import { connectStore } from '#store/connection.ts';
import { createMetrics } from '#telemetry/metrics.ts';
import { createRegistry } from '#tools/registry.ts';
import { createKeyRing } from '#tools/secrets/key-ring.ts';
import { createSealedTexts } from '#tools/secrets/sealed-text.ts';
import { createSkills } from '#tools/skills/skills.ts';
import type { Tool } from '#tools/tool.ts';
import { prepareBareSql } from './bare-sql.ts';
import { postgresCpu } from './process-cost.ts';

/**
 * Compares a turn with its durable writes as bare SQL, which has no queue, events, row-level security or ledger. The turns
 * run through the whole agent, with a model that answers at once. The candidates alternate in one run, so that a busy machine
 * affects all of them alike; the median of the rounds counts.
 */
const ROUNDS = 5;
const SECONDS = 2;

const home = await mkdtemp(path.join(tmpdir(), 'reborn-bench-'));
await chmod(home, 0o711);
const database = await openDatabase({ url: undefined, home });
const postmaster = Number(readFileSync(`${database.connection.host}/postmaster.pid`, 'utf8').split('\n')[0]);
await migrateDatabase(database.connection, path.join(import.meta.dirname, '../migrations'));

let statements = 0;
class CountingClient extends PreparingClient {
  override query(...args: unknown[]): never {
    statements++;
    return super.query(...args);
  }
}
const connection = { ...database.connection, Client: CountingClient };
const report = (error: unknown) => console.error(error);

const pool = new pg.Pool({ ...connection, max: 20 });
const db = connectStore(connection, report);
const model: Model = {
  provider: 'bench',
  name: 'instant',
  contextSize: { windowTokens: 128_000, promptTokens: 112_000 },
  async ask({ messages }, onText) {
    const last = messages.at(-1);
    const wanted =
      last?.role === 'user' && textOf(last.content).startsWith('call ') ? textOf(last.content).slice(5) : undefined;
    if (wanted)
      return { text: '', calls: [{ callId: newId(), name: wanted, arguments: '{}' }], finish: 'stop', usage: NO_USAGE };
    onText('hello');
    return { text: 'hello', calls: [], finish: 'stop', usage: NO_USAGE };
  },
};
const models = { find: async () => [model] as const };
const known = { values: new Map<string, string>(), search: createSecretSearch(new Map()) };
const safety = createSafety({ knownSecrets: async () => known, onActions: () => {} });
const skills = createSkills(db, path.join(home, 'skills'), report);
const noteTime: Tool = {
  definition: { name: 'note_time', description: 'Notes the time.', parameters: { type: 'object' }, strict: null },
  repeatable: true,
  level: 'allow',
  call: async () => 'noted',
};
const summaries = createSealedTexts(createKeyRing(randomBytes(32)), 'summary');
const metrics = createMetrics();
const waited = metrics.waitsOf('engine');
const attachments = createAttachments(db);
const files = createStoredFiles(db, attachments, { workspaceBytes: 1e6, userBytes: 1e6 });
const documents = { findRead: async () => [], readPages: async () => [] };
const tools = createRegistry([noteTime]);
const runner = {
  db,
  models,
  tools,
  safety,
  skills,
  summaries,
  attachments,
  files,
  projectFiles: createProjectFiles(db, files),
  documents,
};
const runMeasured = createRunner({ ...runner, log: createTurnLog({}, metrics.turns) });
const runUnmeasured = createRunner(runner);
let isMeasured = true;
const runTurn: RunTurn = (turn, run) => (isMeasured ? runMeasured : runUnmeasured)(turn, run);
const replica = newId<ReplicaId>();
const engine = await startEngine({
  connection,
  createPool: measurePools((seconds) => isMeasured && waited(seconds)),
  connections: 3,
  replica,
  application: 'bench',
  facts: { model: 'bench', isCommand: false },
  admit: () => {},
  capacity: 500,
  runTurn,
  onError: report,
  isAway,
});
const agent = createAgent(db, engine, summaries, attachments, () => undefined);
const forever = new AbortController().signal;

const CALLERS_TOOL = { name: 'look', description: '', parameters: {}, strict: null };

/** Sends `words`, or the output of a caller's tool call, and waits for the answer. */
async function send(
  words: string | { readonly callId: string },
  threadId?: ThreadId,
  owner: Principal = OPERATOR,
): Promise<TurnReply> {
  const item: NewItem =
    typeof words === 'string'
      ? { id: newId(), type: 'message', role: 'user', content: [text(words)], status: 'completed' }
      : { id: newId(), type: 'function_call_output', callId: words.callId, output: [text('seen')] };
  const started = await agent.startTurn(owner, {
    threadId,
    unknownThread: 'not-found',
    idempotency: undefined,
    channel: 'responses',
    items: [item],
    request: { model: 'm', temperature: null, echo: {} },
    tools: [CALLERS_TOOL],
  });
  const reply = await agent.outcome(owner, started, { signal: forever });
  if (reply.turn.status !== 'completed' && reply.turn.status !== 'waiting')
    throw new Error(`The turn is ${reply.turn.status}.`);
  return reply;
}

/** Threads with this many earlier turns, each used by one lane at a time. */
async function onThreads(earlier: number, count: number): Promise<() => Promise<void>> {
  const free: ThreadId[] = [];
  for (let made = 0; made < count; made++) {
    const { turn } = await send('hello');
    for (let turns = 1; turns < earlier; turns++) await send('hello', turn.threadId);
    free.push(turn.threadId);
  }
  return async () => {
    const threadId = free.shift(); // the one used longest ago, so that all grow alike
    await send('hello', threadId);
    if (threadId) free.push(threadId);
  };
}

let users = 0;
/** Tool arguments are inspected one at a time per user, so the calls come from many users. */
const nextUser = (): Principal => ({ userId: `user-${users++ % 64}`, role: 'member' });

async function resumedTurn(): Promise<void> {
  const owner = nextUser();
  const { turn, gate } = await send('call look', undefined, owner);
  await send({ callId: gate?.call.callId ?? '' }, turn.threadId, owner);
}

const UNMEASURED = 'new thread, without metrics';

const candidates: Record<string, () => Promise<void>> = {
  'bare SQL': await prepareBareSql(pool),
  'new thread': async () => void (await send('hello')),
  [UNMEASURED]: async () => void (await send('hello')),
  'known thread': await onThreads(1, 256),
  'after 200 turns': await onThreads(200, 16),
  'with a tool call': async () => void (await send('call note_time', undefined, nextUser())),
  "caller's tool, two turns": resumedTurn,
};

type Sample = { turnsPerSecond: number; cpuMs: number; statements: number; commits: number };

/** Runs `turn` repeatedly on `concurrency` lanes for a while. */
async function measure(turn: () => Promise<void>, concurrency: number, seconds: number): Promise<Sample> {
  const before = await reading();
  const started = performance.now();
  const end = started + seconds * 1000;
  let turns = 0;
  const lane = async () => {
    while (performance.now() < end) {
      await turn();
      turns++;
    }
  };
  await Promise.all(Array.from({ length: concurrency }, lane));
  const elapsed = (performance.now() - started) / 1000;
  const after = await reading();
  return {
    turnsPerSecond: turns / elapsed,
    cpuMs: (after.cpu - before.cpu) / turns,
    statements: (after.statements - before.statements) / turns,
    commits: (after.commits - before.commits) / turns,
  };
}

async function reading() {
  const node = process.cpuUsage();
  await pool.query('select pg_stat_force_next_flush()');
  const { rows } = await pool.query<{ commits: string }>(
    'select xact_commit as commits from pg_stat_database where datname = current_database()',
  );
  return {
    cpu: (node.user + node.system) / 1000 + postgresCpu(postmaster),
    statements,
    commits: Number(rows[0]?.commits),
  };
}

const median = (values: number[]) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;

console.log(
  `${cpus().length} cores, Node ${process.version}, PostgreSQL ${database.version}, median of ${ROUNDS} rounds of ${SECONDS} s\n`,
);
console.log('| at once | | turns/s | CPU ms/turn | statements/turn | commits/turn | CPU vs. bare SQL |');
console.log('| ---: | --- | ---: | ---: | ---: | ---: | ---: |');
for (const turn of Object.values(candidates)) await measure(turn, 16, 1); // warm up
for (const concurrency of [1, 16, 64, 256]) {
  const samples = new Map<string, Sample[]>(Object.keys(candidates).map((name) => [name, []]));
  for (let round = 0; round < ROUNDS; round++)
    for (const [name, turn] of Object.entries(candidates)) {
      isMeasured = name !== UNMEASURED;
      samples.get(name)?.push(await measure(turn, concurrency, SECONDS));
    }

  const of = (name: string, field: keyof Sample) => median(samples.get(name)?.map((sample) => sample[field]) ?? []);
  for (const name of samples.keys()) {
    const figures = [
      of(name, 'turnsPerSecond').toFixed(0),
      of(name, 'cpuMs').toFixed(2),
      of(name, 'statements').toFixed(1),
      of(name, 'commits').toFixed(1),
      `${(of(name, 'cpuMs') / of('bare SQL', 'cpuMs')).toFixed(2)}x`,
    ];
    console.log(`| ${[concurrency, name, ...figures].join(' | ')} |`);
  }
}

await engine.drain();
metrics.stop();
await Promise.all([db.destroy(), pool.end()]);
await database.close();
await rm(home, { recursive: true, force: true });
