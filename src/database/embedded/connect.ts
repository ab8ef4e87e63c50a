import { readFile } from 'node:fs/promises';
import pg from 'pg';
import { DatabaseUnavailable } from '../database-unavailable.ts';
import type { Postmaster } from './cluster/postmaster.ts';
import type { Server } from './cluster/server.ts';

const NAME = 'reborn';
const OWNER_MARK = 'reborn-owner';

/** The connection that marks this process as one of the server's owners. */
export async function connectAsOwner(server: Server, postmaster: Postmaster): Promise<pg.Client> {
  const password = await readPassword(server);
  const asReborn = { ...addressOf(postmaster), user: NAME, database: NAME, password, application_name: OWNER_MARK };
  try {
    return await connect(asReborn);
  } catch (error) {
    if (!(error instanceof pg.DatabaseError && isUnprepared(error))) throw error;
  }
  await prepareDatabase({ ...addressOf(postmaster), user: 'postgres', database: 'postgres', password });
  return connect(asReborn);
}

export async function countOwners(server: Server, postmaster: Postmaster): Promise<number> {
  const password = await readPassword(server);
  const client = await connect({ ...addressOf(postmaster), user: NAME, database: NAME, password });
  try {
    const query = 'select count(*)::integer as owners from pg_stat_activity where application_name = $1';
    const { rows } = await client.query<{ owners: number }>(query, [OWNER_MARK]);
    return rows[0]?.owners ?? 0;
  } finally {
    await client.end();
  }
}

async function readPassword({ passwordFile, data }: Server): Promise<string> {
  try {
    return await readFile(passwordFile, 'utf8');
  } catch (error) {
    const message = `Cannot read ${passwordFile}, the password of the database in ${data}. Restore the file, or set DATABASE_URL.`;
    throw new DatabaseUnavailable(message, { cause: error });
  }
}

function addressOf({ host, port }: Postmaster): { host: string; port: number } {
  return { host, port };
}

async function connect(config: pg.ClientConfig): Promise<pg.Client> {
  const client = new pg.Client(config);
  client.on('error', () => {}); // a lost connection shows as 'end', or as a failed query
  await client.connect();
  return client;
}

/** The role has no password yet, or the database is missing: this is a first start, or one was killed at this point. */
function isUnprepared({ code }: pg.DatabaseError): boolean {
  return code === '28P01' || code === '28000' || code === '3D000';
}

/** The role is not a superuser and owns only its database, because row-level security does not apply to superusers. */
async function prepareDatabase(asAdministrator: pg.ClientConfig & { password: string }): Promise<void> {
  const client = await connect(asAdministrator);
  try {
    const role = await client.query('select from pg_roles where rolname = $1', [NAME]);
    const verb = role.rowCount ? 'alter' : 'create';
    await client.query(`${verb} role ${NAME} login password ${client.escapeLiteral(asAdministrator.password)}`);

    const database = await client.query('select from pg_database where datname = $1', [NAME]);
    if (!database.rowCount) await client.query(`create database ${NAME} owner ${NAME}`);
  } finally {
    await client.end();
  }
}
