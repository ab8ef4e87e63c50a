import type { Config } from '#config/config.ts';
import { makeHome } from '#config/home-folder.ts';
import { MIGRATIONS } from '#database/migrate.ts';
import { openDatabase } from '#database/open-database.ts';
import { describeAge, RENEW } from '#database/release-date.ts';
import { readSchemaState, type SchemaState, TOO_OLD } from '#database/schema-state.ts';
import { connectEngine } from '#engine/engine-connection.ts';
import { connectStore, type Database } from '#store/connection.ts';
import type { SystemConnection } from '#store/system/system-connection.ts';
import { type Finding, ok, problem, reasonOf, warning } from './finding.ts';

/** Whether the database answers, fits this program, and agrees on the time; `more` is asked about what is in it. */
export async function checkDatabase(
  config: Config,
  more: (db: Database, system: SystemConnection) => Promise<Finding[]> = async () => [],
  open = openDatabase,
): Promise<Finding[]> {
  const check = 'database';
  await using undo = new AsyncDisposableStack();
  try {
    if (config.databaseUrl === undefined) await makeHome(config.home);
    const database = await open({ url: config.databaseUrl, home: config.home });
    undo.defer(() => database.close());
    const kind = database.kind === 'embedded' ? 'The built-in' : 'Your';
    const state = await readSchemaState(database.connection, MIGRATIONS);
    const findings = [
      ok(check, `${kind} PostgreSQL ${database.version} answers.`),
      ...(database.kind === 'embedded' ? checkAge(database.version) : []),
      ...checkSchema(state),
      ...checkClock(state.time, new Date()),
    ];
    if (state.pending.length > 0 || state.unknown.length > 0) return findings;
    const db = connectStore(database.connection, () => {});
    undo.defer(() => db.destroy());
    const system = connectEngine({ ...database.connection, max: 1 }, () => {});
    undo.defer(() => system.end());
    return [...findings, ...(await more(db, system))];
  } catch (error) {
    return [problem(check, reasonOf(error), mendOf(config))];
  }
}

/** Operators keep their own servers up to date. */
function checkAge(version: string): Finding[] {
  const age = describeAge(version);
  return age === undefined ? [] : [warning('database', age, RENEW)];
}

export function checkSchema({ pending, unknown, isTooOld }: CheckedSchema): Finding[] {
  const check = 'schema';
  if (isTooOld) return [problem(check, TOO_OLD, 'Set DATABASE_URL to an empty database, or use a new REBORN_HOME.')];
  if (unknown.length > 0)
    return [
      problem(
        check,
        `A newer version of Reborn has changed the database (${unknown.join(', ')}).`,
        'Use that version, or restore a backup from before.',
      ),
    ];
  if (pending.length > 0)
    return [
      warning(
        check,
        `The database is older than this program: ${pending.length} migrations are pending.`,
        '`reborn upgrade --check` says what they do. Make a backup, then start `reborn serve`, which applies them.',
      ),
    ];
  return [ok(check, 'The schema is the one this program knows.')];
}

type CheckedSchema = Pick<SchemaState, 'pending' | 'unknown' | 'isTooOld'>;

const SKEW_MS = 2000;
const HARMFUL_SKEW_MS = 30_000;

/** Tokens, rate limits and gates compare times of both clocks. */
export function checkClock(server: Date, here: Date): Finding[] {
  const check = 'clock';
  const skew = Math.abs(server.getTime() - here.getTime());
  if (skew < SKEW_MS) return [ok(check, 'This clock and the database agree.')];
  const said = `This clock and the database's are ${(skew / 1000).toFixed(0)} s apart.`;
  const mend = 'Let both follow a time server, such as with systemd-timesyncd or chrony.';
  return [skew < HARMFUL_SKEW_MS ? warning(check, said, mend) : problem(check, said, mend)];
}

const mendOf = ({ databaseUrl, home }: Config) =>
  databaseUrl
    ? 'Start the server, correct DATABASE_URL, or unset it to use the built-in PostgreSQL.'
    : `Fix the reported problem, or look into ${home}. Set DATABASE_URL to use your own server instead.`;
