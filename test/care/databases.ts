import { randomBytes } from 'node:crypto';
import { text } from 'node:stream/consumers';
import pg from 'pg';
import { type Archive, readArchive } from '#database/archive/read-archive.ts';
import { writeArchive } from '#database/archive/write-archive.ts';
import { openDatabase } from '#database/open-database.ts';
import { connectEngineClient } from '#engine/engine-connection.ts';
import { openIdentities } from '#store/identity-connection.ts';
import { freshHome } from '../support/fresh-home.ts';

/** A server for the databases of tests, which are dropped at the end. */
export async function openDatabases() {
  const fresh = await freshHome();
  const server = await openDatabase({ url: fresh.env.DATABASE_URL, home: fresh.home });
  const made: string[] = [];
  const asAdministrator = async (statement: string) => {
    // The embedded server's superuser has the same password as the role we work with.
    const admin = server.kind === 'embedded' ? { user: 'postgres', database: 'postgres' } : {};
    const client = await connect({ ...server.connection, ...admin });
    try {
      await client.query(statement);
    } finally {
      await client.end();
    }
  };
  const close = async () => {
    for (const name of made) await asAdministrator(`drop database ${name} with (force)`);
    await server.close();
    await fresh.remove();
  };
  return {
    /** An empty database without extensions. */
    create: async (): Promise<pg.PoolConfig> => {
      const name = `care_${randomBytes(4).toString('hex')}`;
      const owner = server.kind === 'embedded' ? 'owner reborn' : '';
      await asAdministrator(`create database ${name} ${owner} template template0`);
      made.push(name);
      return withDatabase(server.connection, name);
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}

export async function connect(connection: pg.ClientConfig): Promise<pg.Client> {
  const client = new pg.Client(connection);
  client.on('error', () => {}); // a cut line fails the query, which reports it
  await client.connect();
  return client;
}

/** A session that sees every row. */
export async function connectToEverything(connection: pg.PoolConfig): Promise<pg.Client> {
  const client = await connectEngineClient(connection, () => {});
  await openIdentities(client);
  return client;
}

/** The text of an archive of everything. */
export async function archiveText(connection: pg.PoolConfig): Promise<string> {
  const client = await connectToEverything(connection);
  try {
    return await text(writeArchive(client, { reborn: 'test' }));
  } finally {
    await client.end();
  }
}

/** An archive in the smallest possible chunks. */
export function archiveOf(content: string, chunkBytes = 1 << 16): Promise<Archive> {
  return readArchive(chunksOf(Buffer.from(content), chunkBytes));
}

async function* chunksOf(content: Buffer, bytes: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < content.length; at += bytes) yield content.subarray(at, at + bytes);
}

function withDatabase(connection: pg.PoolConfig, name: string): pg.PoolConfig {
  if (!connection.connectionString) return { ...connection, database: name };
  const url = new URL(connection.connectionString);
  url.pathname = `/${name}`;
  return { connectionString: url.href };
}
