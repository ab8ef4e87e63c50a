import pg from 'pg';

/** Where its types and operators are, spelled as it stands in a statement. */
export type Pgvector = { readonly schema: string };

/** The first with `halfvec`. */
const OLDEST = [0, 7] as const;

/**
 * The extension, which is added to the database if it lies on the server and may be. Answers with words for the
 * operator when something can be done about it, and with undefined when the server doesn't have it.
 */
export async function findPgvector(client: pg.Client): Promise<Pgvector | string | undefined> {
  const found = (await findInstalled(client)) ?? (await install(client));
  if (typeof found !== 'object') return found;
  if (isTooOld(found.version))
    return `pgvector ${found.version} is too old to index notes. Install 0.7 or newer, then run as a superuser: alter extension vector update`;
  return { schema: found.schema };
}

type Installed = Pgvector & { readonly version: string };

async function findInstalled(client: pg.Client): Promise<Installed | undefined> {
  const { rows } = await client.query<Installed>(
    `select extnamespace::regnamespace::text as schema, extversion as version from pg_extension where extname = 'vector'`,
  );
  return rows[0];
}

async function install(client: pg.Client): Promise<Installed | string | undefined> {
  const { rowCount } = await client.query(`select from pg_available_extensions where name = 'vector'`);
  if (!rowCount) return undefined;
  try {
    await client.query('create extension if not exists vector');
  } catch (error) {
    if (!(error instanceof pg.DatabaseError && error.code === INSUFFICIENT_PRIVILEGE)) throw error;
    return 'pgvector is on the server, but this role may not add it. Run in this database, as a superuser: create extension vector';
  }
  return findInstalled(client);
}

const INSUFFICIENT_PRIVILEGE = '42501';

function isTooOld(version: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  return major < OLDEST[0] || (major === OLDEST[0] && minor < OLDEST[1]);
}
