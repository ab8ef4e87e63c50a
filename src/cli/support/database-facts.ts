import type { Config } from '#config/config.ts';
import { makeHome } from '#config/home-folder.ts';
import { MIGRATIONS } from '#database/migrate.ts';
import { openDatabase } from '#database/open-database.ts';
import { readSchemaState } from '#database/schema-state.ts';
import { connectEngineClient } from '#engine/engine-connection.ts';

type Client = Awaited<ReturnType<typeof connectEngineClient>>;

/** The sizes of tables and indexes, the migrations, and the slowest statements with their plans. Nothing comes from a row of ours. */
export async function readDatabaseFacts(config: Config): Promise<Record<string, unknown>> {
  await using undo = new AsyncDisposableStack();
  if (config.databaseUrl === undefined) await makeHome(config.home);
  const database = await openDatabase({ url: config.databaseUrl, home: config.home });
  undo.defer(() => database.close());
  const { newest, pending, unknown, pendingIndexes } = await readSchemaState(database.connection, MIGRATIONS);
  const client = await connectEngineClient(database.connection, () => {}); // a cut line fails the query, which reports it
  undo.defer(() => client.end());
  return {
    postgres: { version: database.version, kind: database.kind },
    schema: { newest, pending, unknown, pendingIndexes },
    tables: (await client.query(TABLES)).rows,
    indexes: (await client.query(INDEXES)).rows,
    settings: (await client.query(SETTINGS)).rows,
    statements: await explainStatements(client),
  };
}

const TABLES = `
  select relname::text as table, n_live_tup::float8 as rows, n_dead_tup::float8 as dead, seq_scan::float8, idx_scan::float8,
    pg_relation_size(relid)::float8 as bytes, pg_indexes_size(relid)::float8 as index_bytes,
    pg_total_relation_size(relid)::float8 as total_bytes, last_vacuum, last_autovacuum, last_analyze, last_autoanalyze
  from pg_stat_user_tables where schemaname = current_schema() order by pg_total_relation_size(relid) desc, relname`;

const INDEXES = `
  select indexrelname::text as index, relname::text as table, idx_scan::float8 as scans,
    pg_relation_size(indexrelid)::float8 as bytes
  from pg_stat_user_indexes where schemaname = current_schema() order by pg_relation_size(indexrelid) desc, indexrelname`;

/** Figures and switches only: names and addresses of the server are its operator's. */
const SETTINGS = `
  select name, setting, unit from pg_settings where vartype in ('integer', 'real', 'bool')
    and category similar to '(Resource|Write-Ahead|Query|Autovacuum|Connections|Vacuuming)%' order by name`;

type Statement = {
  readonly text: string;
  readonly calls?: number;
  readonly mean_ms?: number;
  readonly total_ms?: number;
};

/** The slowest ones of pg_stat_statements, or those that every turn depends on. */
async function explainStatements(client: Client) {
  const slowest = await findSlowest(client).catch(() => undefined); // not installed, or not allowed
  const explained = [];
  for (const statement of slowest ?? HOT.map((text): Statement => ({ text })))
    explained.push({
      ...statement,
      text: withoutValues(statement.text),
      plan: await explain(client, statement.text).catch(() => null),
    });
  return { source: slowest ? 'pg_stat_statements' : 'known statements', statements: explained };
}

async function findSlowest(client: Client): Promise<Statement[]> {
  return (await client.query<Statement>(SLOWEST)).rows;
}

/** Texts have $1 for each value; only of these kinds, because PostgreSQL leaves the values of others, such as SET, as they are. */
const SLOWEST = `
  select query as text, calls::float8, mean_exec_time as mean_ms, total_exec_time as total_ms from pg_stat_statements
  where dbid = (select oid from pg_database where datname = current_database()) and query ~* '^\\s*(select|insert|update|delete|with)\\M'
  order by total_exec_time desc limit 20`;

const HOT = [
  'select id from turns where ready_at <= now() order by ready_at limit 10',
  "select id from turns where runner = $1 and status = 'running'",
  'select id from turns where thread_id = $1 order by seq desc limit 10',
  'select id from items where thread_id = $1 order by turn_seq, position',
  'select id from threads where user_id = $1 order by pinned desc, updated_at desc, id desc limit 50',
  'select max(last) from turn_events where turn_id = $1',
  'select target from delivery_targets where due_at <= now() order by due_at limit 10',
  'select id from missions where next_due_at <= now() order by next_due_at limit 10',
];

/** The plan for any values, as the engine's connections use it. The statement is planned, and not run. */
async function explain(client: Client, text: string): Promise<string[] | null> {
  if (withoutValues(text).includes(';')) return null; // a second statement would run
  await client.query(`prepare support_bundle as ${text}`);
  try {
    const { rows } = await client.query<{ count: number }>(
      `select cardinality(parameter_types) as count from pg_prepared_statements where name = 'support_bundle'`,
    );
    const values = Array.from({ length: rows[0]?.count ?? 0 }, () => 'null').join(', ');
    const plan = await client.query<{ 'QUERY PLAN': string }>(
      `explain execute support_bundle${values ? `(${values})` : ''}`,
    );
    return plan.rows.map((row) => withoutValues(row['QUERY PLAN']));
  } finally {
    await client.query('deallocate support_bundle');
  }
}

/** Values of ours stand in quotes, too, such as the status of a turn; no one can distinguish them from a person's. */
const withoutValues = (text: string): string => text.replaceAll(/'(?:[^']|'')*'/g, "'?'");
