import { ENGINE_TIMES } from '#engine/engine-times.ts';
import { addUser } from '../test/support/accounts.ts';
import { freshHome } from '../test/support/fresh-home.ts';
import { startScriptedModel } from '../test/support/scripted-model.ts';
import { startService } from '../test/support/service.ts';
import { waitFor } from '../test/support/wait-for.ts';
import { FILL_THREADS } from './fill-threads.ts';
import { givenWords } from './given-words.ts';
import { saveResult } from './results/save-result.ts';

/**
 * How much stored data costs: the first page of threads, a search, a turn and a stream, first in an empty database and then in one with
 * 100,000 threads and a million items; then a turn while retention deletes most threads, and while a user is erased. The same
 * process and machine serve all of them, so compare the ratios. `npm run bench:stored -- 10000` fills with fewer threads.
 */
const THREADS = Number(givenWords[0] ?? 100_000);
const ITEMS = 10;
const USERS = 1000;
const ERASED_THREADS = Math.round(THREADS / 10);
const PIECES = 40;
const ROUNDS = 60;
const TIMES = [new Date(Date.now() - 2 * 365 * 86_400_000), new Date()];

const [model, home] = await Promise.all([startScriptedModel(), freshHome()]);
const service = await startService(
  { ...home.env, LLM_PROVIDER: 'openai-compatible', LLM_MODEL: 'scripted', LLM_BASE_URL: model.url },
  { purgeThreadsEveryMs: 1000, engineTimes: ENGINE_TIMES },
);
try {
  const ann = await addUser(service, 'Ann');
  const erased = await addUser(service, 'Erased');
  const call = async (route: string, body?: object) => {
    const init = { headers: ann.headers, ...(body && { method: 'POST', body: JSON.stringify(body) }) };
    const response = await service.request(route, init);
    if (!response.ok) throw new Error(`${route}: ${response.status} ${await response.text()}`);
    await response.text();
  };
  const page = () => call('/api/threads');
  const search = () => call('/api/search?q=harvest');
  const turn = () => call('/api/chat', { message: 'say hello' });
  const stream = () => call('/api/v1/responses', { model: 'scripted', input: 'say hello', stream: true });
  const acts = { page, search, turn, stream };

  // As much as one user has of the full database, so that the two differ by the data of others only.
  await fill(ann.id, Math.round(THREADS / USERS));
  await measureAll(acts); // warming up
  const empty = await measureAll(acts);

  const started = performance.now();
  await fillUsers();
  for (let piece = 0; piece < 4; piece++) await fill(erased.id, ERASED_THREADS / 4);
  await home.query('analyze');
  const [size] = await home.query<{ size: string }>(
    'select pg_size_pretty(pg_database_size(current_database())) as size',
  );
  console.log(`filled in ${((performance.now() - started) / 1000).toFixed(0)} s: ${size?.size}`);
  await measureAll(acts);
  const full = await measureAll(acts);
  compare('first page of threads', empty.page, full.page);
  compare('search', empty.search, full.search);
  compare('turn', empty.turn, full.turn);
  compare('stream', empty.stream, full.stream);

  const before = await countThreads();
  await service.request('/api/retention', { method: 'PUT', body: JSON.stringify({ threads: 30 }) });
  await waitFor('the purge to begin', async () => (await countThreads()) < before, 60_000);
  const purging = await measure(turn);
  compare('turn beside retention', full.turn, purging);
  const [purgedFrom, at] = [await countThreads(), performance.now()];
  await turnsFor(5000, turn);
  console.log(
    `retention: ${Math.round((purgedFrom - (await countThreads())) / ((performance.now() - at) / 1000))} threads a second`,
  );
  await service.request('/api/retention', { method: 'PUT', body: '{}' });

  const erasing = performance.now();
  const erasure = service
    .request(`/api/users/${erased.id}/erase`, { method: 'POST' })
    .then(async (response) => ((await response.json()) as { status: string }).status === 'completed');
  await turnsFor(2500, turn); // its users' turns are cancelled first
  const erasingTurn = await measure(turn);
  compare('turn beside an erasure', full.turn, erasingTurn);
  const result = (await erasure)
    ? `took ${((performance.now() - erasing) / 1000).toFixed(1)} s`
    : 'continues after 20 s';
  console.log(`erasing ${ERASED_THREADS} threads ${result}`);
  saveResult('stored', {
    threads: THREADS + ERASED_THREADS,
    items: (THREADS + ERASED_THREADS) * ITEMS,
    size: size?.size,
    empty,
    full,
    retention: purging,
    erasure: erasingTurn,
  });
} finally {
  await service.close();
  await model.close();
  await home.remove();
}

async function measureAll<Name extends string>(acts: Record<Name, () => Promise<void>>): Promise<Record<Name, Times>> {
  const measured: [string, Times][] = [];
  for (const [name, act] of Object.entries<() => Promise<void>>(acts)) measured.push([name, await measure(act)]);
  return Object.fromEntries(measured) as Record<Name, Times>;
}

type Times = { readonly p50: number; readonly p95: number };

async function measure(act: () => Promise<void>): Promise<Times> {
  const times: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const started = performance.now();
    await act();
    times.push(performance.now() - started);
  }
  times.sort((a, b) => a - b);
  const at = (share: number) => times[Math.floor(times.length * share)] ?? 0;
  return { p50: at(0.5), p95: at(0.95) };
}

async function turnsFor(milliseconds: number, turn: () => Promise<void>): Promise<void> {
  const end = performance.now() + milliseconds;
  while (performance.now() < end) await turn();
}

function compare(name: string, before: Times, after: Times): void {
  const show = (share: keyof Times) =>
    `${share} ${before[share].toFixed(1)} -> ${after[share].toFixed(1)} ms (${(after[share] / before[share]).toFixed(2)}x)`;
  console.log(`${name}: ${show('p50')}, ${show('p95')}`);
}

async function fillUsers(): Promise<void> {
  for (let piece = 0; piece < PIECES; piece++)
    await home.query(FILL_THREADS, [`filler-${piece}-`, Math.round(THREADS / PIECES), ITEMS, USERS / PIECES, ...TIMES]);
}

async function fill(userId: string, threads: number): Promise<void> {
  await home.query(FILL_THREADS, [userId, threads, ITEMS, 0, ...TIMES]);
}

async function countThreads(): Promise<number> {
  const [row] = await home.query<{ count: number }>('select count(*)::integer as count from threads');
  return row?.count ?? 0;
}
