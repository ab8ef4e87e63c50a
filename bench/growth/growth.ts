import os from 'node:os';
import { connectEngine } from '#engine/engine-connection.ts';
import { ENGINE_TIMES } from '#engine/engine-times.ts';
import { addUser } from '../../test/support/accounts.ts';
import { connectionOf } from '../../test/support/prepared-template.ts';
import { type ScriptedModel, startScriptedModel } from '../../test/support/scripted-model.ts';
import { startService } from '../../test/support/service.ts';
import { waitFor } from '../../test/support/wait-for.ts';
import { saveResult } from '../results/save-result.ts';
import { connectFreely, type Grown, growDatabases, openServer } from './databases.ts';
import { predict, ratiosOf } from './extrapolate.ts';
import { fillUser } from './fill.ts';
import { measureInTurns, percentilesOf, type Times } from './rounds.ts';
import { deleteOld, maintain, sizesOf, sweep, walkThreads } from './upkeep.ts';

/**
 * What a growing database costs: the same acts of a person with as many threads in databases of several sizes, call by call in
 * turn, and then what the service does with old data. `npm run bench:growth -- FOLDER 0 1 3 10 30` fills databases of as many
 * millions of items in FOLDER, unless an earlier run has done it (30 million: 35 GB and half an hour), and measures them.
 */
const [folder = '', ...millions] = process.argv.slice(2).filter((word) => !word.startsWith('--'));
if (folder === '' || millions.length === 0)
  throw new Error('Name a folder for the databases, and their sizes in millions of items, the smallest first.');
const ROUNDS = 60;
const OWN_THREADS = 100;
const ERASED_THREADS = 1000;
const ERASURES = 3;
const DELETE_DAYS = 700;
const DELETE_MS = 10_000;

await using undo = new AsyncDisposableStack();
const server = await openServer(folder);
undo.defer(() => server.close());
const grown = await growDatabases(
  server.url,
  millions.map((count) => Number(count) * 1e6),
);
const model = await startScriptedModel();
undo.defer(() => model.close());
const places: Place[] = [];
for (const each of grown) places.push(await openPlace(each, model));

const acts = {
  page: (place: Place) => place.call('/api/threads'),
  search: (place: Place) => place.call('/api/search?q=harvest'),
  turn: (place: Place) => place.call('/api/chat', { message: 'say hello' }),
  stream: (place: Place) => place.call('/api/v1/responses', { model: 'scripted', input: 'say hello', stream: true }),
};
const load = [os.loadavg()[0] ?? 0];
for (const act of Object.values(acts)) await measureInTurns(onAll(act), 5); // warming up
const measured = places.map(({ items }): { items: number; [name: string]: unknown } => ({ items }));
for (const [name, act] of Object.entries(acts)) note(name, await measureInTurns(onAll(act), ROUNDS));

note('erase', await eraseEverywhere());
for (const [index, place] of places.entries()) {
  const { times, value } = await turnsBeside(place, (mayContinue) => deleteOld(place.pool, DELETE_DAYS, mayContinue));
  note('turn_beside_retention', [times], index);
  note('deleted_threads_per_second', [value], index);
  note('walk_seconds', [await walkThreads(place.pool)], index);
  note('sweep_ms', [await sweep(place.pool, place.database)], index);
  note('maintain_seconds', [await maintain(place.database)], index);
  note('megabytes', [await sizesOf(place.database)], index);
  note('built', [place.filled.indexes.filter(({ megabytes }) => megabytes > 1)], index);
}
load.push(os.loadavg()[0] ?? 0);

const predicted = predict(measured);
saveResult('growth', {
  machine: { cores: os.cpus().length, memory_gb: os.totalmem() / 1e9, load, shared: true },
  rounds: ROUNDS,
  sizes: measured,
  ratios: ratiosOf(measured),
  predicted,
});
console.log(JSON.stringify({ sizes: measured, predicted }, undefined, 1));

type Place = Awaited<ReturnType<typeof openPlace>>;

/** A service on one of the databases, and a person with some threads. */
async function openPlace({ url, ...rest }: Grown, scripted: ScriptedModel) {
  const home = `${folder}/home-${rest.items}`;
  const env = { REBORN_HOME: home, SANDBOX: 'off', DATABASE_URL: url };
  const provider = { LLM_PROVIDER: 'openai-compatible', LLM_MODEL: 'scripted', LLM_BASE_URL: scripted.url };
  const service = await startService({ ...env, ...provider }, { engineTimes: ENGINE_TIMES });
  undo.defer(() => service.close());
  const pool = connectEngine({ ...connectionOf(url), max: 2 }, (error) => console.error(error));
  undo.defer(() => pool.end());
  const database = await connectFreely(url);
  undo.defer(() => database.end());
  const person = await addUser(service, `Ann ${Date.now()}`);
  await fillUser(database, person.id, OWN_THREADS);
  await database.query('analyze');
  const call = async (route: string, body?: object) => {
    const init = { headers: person.headers, ...(body && { method: 'POST', body: JSON.stringify(body) }) };
    const response = await service.request(route, init);
    const text = await response.text();
    if (!response.ok) throw new Error(`${route}: ${response.status} ${text}`);
  };
  return { ...rest, service, pool, database, call };
}

function onAll(act: (place: Place) => Promise<void>): (() => Promise<void>)[] {
  return places.map((place) => () => act(place));
}

/** Adds what was measured to each size, or to the one with the index. */
function note(name: string, values: readonly unknown[], index = 0): void {
  for (const [step, value] of values.entries()) {
    const size = measured[index + step];
    if (size) size[name] = value;
    console.log(`${size?.items} ${name}: ${JSON.stringify(value)}`);
  }
}

/** Turns of the person while something else works in the database, for as long as that takes. */
async function turnsBeside<Value>(place: Place, work: (mayContinue: () => boolean) => Promise<Value>) {
  const end = performance.now() + DELETE_MS;
  let isOver = false;
  const working = work(() => performance.now() < end).finally(() => (isOver = true));
  const times: number[] = [];
  while (!isOver) {
    const started = performance.now();
    await acts.turn(place);
    times.push(performance.now() - started);
  }
  return { times: percentilesOf(times), value: await working };
}

/** Erases people with a thousand threads each, in one database after the other. Seconds from the request to the certificate. */
async function eraseEverywhere(): Promise<{ seconds: number; turn: Times }[]> {
  const seconds = places.map((): number[] => []);
  const turns = places.map((): Times[] => []);
  for (let round = 0; round < ERASURES; round++)
    for (const [index, place] of places.entries()) {
      const person = await addUser(place.service, 'Erased');
      await fillUser(place.database, person.id, ERASED_THREADS);
      const started = performance.now();
      const { times } = await turnsBeside(place, () => erase(place, person.id));
      seconds[index]?.push((performance.now() - started) / 1000);
      turns[index]?.push(times);
    }
  return seconds.map((each, index) => ({
    seconds: percentilesOf(each).p50,
    turn: turns[index]?.toSorted((a, b) => a.p50 - b.p50)[1] ?? { p50: 0, p95: 0 },
  }));
}

async function erase({ service }: Place, id: string): Promise<void> {
  const asked = await service.request(`/api/users/${id}/erase`, { method: 'POST' });
  const { id: erasure, status } = (await asked.json()) as { id: string; status: string };
  if (status === 'completed') return;
  await waitFor(
    'the erasure to end',
    async () => {
      const found = await service.request(`/api/erasures/${erasure}`);
      return ((await found.json()) as { status: string }).status === 'completed';
    },
    600_000,
  );
}
