import type pg from 'pg';
import { saveResult } from '../results/save-result.ts';
import { connectFreely, growDatabases, openServer } from './databases.ts';
import { measureInTurns } from './rounds.ts';

/**
 * The items of one of the databases of `npm run bench:growth`, as one table and in partitions: by hash of the user, and by month.
 * Statements are those of the service, one after the other in each layout. `npm run bench:partitions -- FOLDER 10` takes the
 * database with ten million items and needs as much space again.
 */
const [folder = '', millions = ''] = process.argv.slice(2).filter((word) => !word.startsWith('--'));
if (folder === '' || millions === '')
  throw new Error('Name the folder of the databases, and a size in millions of items.');
const ROUNDS = 300;
const PARTS = 32;
/** Vacuum has something to do: every hundredth thread, as retention and users delete them. */
const DELETED_SHARE = 100;

type Layout = { readonly name: string; readonly key: string; readonly by: string; readonly parts: readonly string[] };

const MONTHS = Array.from({ length: 27 }, (_, index) => new Date(Date.UTC(2024, 9 + index, 1)).toISOString());
const LAYOUTS: readonly Layout[] = [
  {
    name: 'by_user',
    key: 'user_id',
    by: 'hash (user_id)',
    parts: Array.from({ length: PARTS }, (_, part) => `with (modulus ${PARTS}, remainder ${part})`),
  },
  {
    name: 'by_month',
    key: 'created_at',
    by: 'range (created_at)',
    parts: MONTHS.slice(1).map((end, index) => `from ('${MONTHS[index]}') to ('${end}')`),
  },
];

await using undo = new AsyncDisposableStack();
const server = await openServer(folder);
undo.defer(() => server.close());
const [grown] = await growDatabases(server.url, [Number(millions) * 1e6]);
if (!grown) throw new Error('There is no database of this size.');
const database = await connectFreely(grown.url);
undo.defer(() => database.end());

for (const layout of LAYOUTS) await makeLayout(layout);
const tables = ['items', ...LAYOUTS.map(({ name }) => `growth.${name}`)];
const { rows: threads } = await database.query<{ id: string; user_id: string }>(
  `select id, user_id from threads tablesample system ((select 300000 / reltuples from pg_class where relname = 'threads'))
   order by random() limit ${ROUNDS}`,
);
const results = new Map<string, Record<string, number>>(tables.map((table) => [table, {}]));
const read = (table: string): Statement => ({
  text: `select * from ${table} where thread_id = $1 and user_id = $2 order by turn_seq, position`,
  values: ({ id, user_id: user }) => [id, user],
});
await compare('read a thread for the first time', read);
await compare('read a thread', read);
await compare('append three items', (table) => ({
  text: `insert into ${table} (thread_id, turn_seq, position, id, turn_id, user_id, body, created_at)
    select $1, 100000, n, uuidv7(), $1, $2, '{"type":"message"}', '2026-10-30T12:00:00Z' from generate_series(1, 3) as n`,
  values: ({ id, user_id: user }) => [id, user],
}));
await compare('delete a thread', (table) => ({
  text: `delete from ${table} where thread_id = any($1)`,
  values: ({ id }) => [[id]],
}));
for (const table of tables) {
  const seconds = await vacuum(database, table);
  Object.assign(results.get(table) ?? {}, { vacuum: seconds });
}
saveResult('partitions', { items: grown.items, parts: PARTS, layouts: Object.fromEntries(results) });
console.log(results);
await database.query('drop table growth.by_user, growth.by_month');

type Statement = { readonly text: string; readonly values: (thread: (typeof threads)[number]) => readonly unknown[] };

/** The medians of one statement with each thread, in milliseconds. */
async function compare(name: string, statementOn: (table: string) => Statement): Promise<void> {
  const acts = tables.map((table) => {
    const { text, values } = statementOn(table);
    let round = 0;
    return async () => {
      const thread = threads[round++ % threads.length];
      if (thread) await database.query({ name: `${name} ${table}`, text, values: [...values(thread)] });
    };
  });
  const times = await measureInTurns(acts, ROUNDS);
  for (const [index, { p50 }] of times.entries()) {
    Object.assign(results.get(tables[index] ?? '') ?? {}, { [name]: p50 });
    console.log(`${name}, ${tables[index]}: ${p50.toFixed(2)} ms`);
  }
}

/** With the keys that a partitioned table can have: they contain what it is divided by. */
async function makeLayout({ name, key, by, parts }: Layout): Promise<void> {
  await database.query(`drop table if exists growth.${name}`);
  await database.query(`create table growth.${name} (like items including defaults) partition by ${by}`);
  for (const [index, values] of parts.entries())
    await database.query(`create table growth.${name}_${index} partition of growth.${name} for values ${values}`);
  await database.query(`insert into growth.${name} select * from items`);
  await database.query(`alter table growth.${name} add primary key (thread_id, turn_seq, position, ${key})`);
  await database.query(`alter table growth.${name} add unique (id, ${key})`);
  await database.query(`vacuum (analyze) growth.${name}`);
  console.log(`made ${name}`);
}

/** Seconds, after some threads of all ages were deleted. */
async function vacuum(client: pg.ClientBase, table: string): Promise<number> {
  await client.query(`delete from ${table} where hashtext(thread_id::text) % ${DELETED_SHARE} = 0`);
  const started = performance.now();
  await client.query(`vacuum ${table}`);
  return (performance.now() - started) / 1000;
}
