import { mkdir, realpath } from 'node:fs/promises';
import path from 'node:path';
import type pg from 'pg';
import { readServerVersion } from '../server-version.ts';
import { findPostmaster } from './cluster/postmaster.ts';
import { reachServer, type StartEvents } from './cluster/reach-server.ts';
import type { Server } from './cluster/server.ts';
import { stopServer } from './cluster/start-server.ts';
import { connectAsOwner, countOwners } from './connect.ts';
import { keepConnection } from './keep-connection.ts';
import { withLaunchLock } from './launch-lock.ts';
import { chooseDataFolder } from './runtime/choose-data-folder.ts';
import { chooseRuntime } from './runtime/choose-runtime.ts';

type OpenEmbedded = { connection: pg.PoolConfig; version: string; close(): Promise<void> };

/** Every owner keeps one connection open; the last one to close it stops the server. */
export async function openEmbedded(home: string, events: StartEvents): Promise<OpenEmbedded> {
  await mkdir(home, { recursive: true, mode: 0o700 });
  const folder = await realpath(home);
  const lock = path.join(folder, 'postgres-18.lock');
  const server = await withLaunchLock(lock, () => findServer(folder));

  const reach = (): Promise<pg.Client> =>
    withLaunchLock(lock, async () => connectAsOwner(server, await reachServer(server, events)));
  const client = await reach();
  const { host, port, user, password, database } = client;
  const version = await readServerVersion(client);
  const kept = keepConnection(client, reach);

  let closed: Promise<void> | undefined;
  const close = async (): Promise<void> => {
    await kept.release();
    await withLaunchLock(lock, () => stopIfUnowned(server));
  };
  return { connection: { host, port, user, password, database }, version, close: () => (closed ??= close()) };
}

async function findServer(home: string): Promise<Server> {
  const { area, user } = await chooseDataFolder(home);

  return {
    runtime: await chooseRuntime({ area, user }),
    data: path.join(area, 'postgres-18'),
    passwordFile: path.join(area, 'postgres-18.password'),
    user,
  };
}

async function stopIfUnowned(server: Server): Promise<void> {
  const postmaster = await findPostmaster(server.data);
  // If the server can't be queried, it is left to the next start, which attaches to it or cleans up.
  const owners = postmaster && (await countOwners(server, postmaster).catch(() => undefined));
  if (owners === 0) await stopServer(server);
}
