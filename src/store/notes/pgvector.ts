import pg from 'pg';

/** The schema of its types and operators, quoted for use in a statement. */
export type Pgvector = { readonly schema: string };

/** The first version with `halfvec`. */
const OLDEST = [0, 7] as const;

/**
 * Finds pgvector, and creates the extension if the server has it and the role may. Returns a message for the operator
 * when there is a problem they can fix, and undefined when the server doesn't have pgvector.
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
    return 'pgvector is on the server, but this role is not allowed to create the extension. Run in this database, as a superuser: create extension vector';
  }
  return findInstalled(client);
}

const INSUFFICIENT_PRIVILEGE = '42501';

function isTooOld(version: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  return major < OLDEST[0] || (major === OLDEST[0] && minor < OLDEST[1]);
}
