import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { chown, lstat, mkdir } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import path from 'node:path';
import { DatabaseUnavailable } from '../../database-unavailable.ts';
import type { Server } from './server.ts';

type Address = { socketFolder: string; settings: string[] };

const SOCKET_FILE = '.s.PGSQL.5432';
/** macOS has the shortest limit, 103 bytes. */
const LONGEST_SOCKET_PATH = 100;

/** The server listens in its data folder, which is closed to other users, unless that path is too long for a socket. */
export async function chooseAddress(server: Server): Promise<Address> {
  if (process.platform === 'win32') return loopbackAddress(server);
  if (fits(server.data)) return socketAddress(server.data, '.');

  const folder = temporaryFolder(server.data);
  await makePrivate(folder, server);
  return socketAddress(folder, folder);
}

/** Always below /tmp, because TMPDIR may be long, closed to the server's user, or different in the next process. */
export function temporaryFolder(data: string): string {
  return `/tmp/reborn-${createHash('sha256').update(data).digest('hex').slice(0, 12)}`;
}

function fits(folder: string): boolean {
  return Buffer.byteLength(path.join(folder, SOCKET_FILE)) <= LONGEST_SOCKET_PATH;
}

function socketAddress(socketFolder: string, setting: string): Address {
  const settings = ['listen_addresses=', `unix_socket_directories=${setting}`, 'port=5432'];
  return { socketFolder, settings: [...settings, 'unix_socket_permissions=0700'] };
}

/** All users can write to the temporary folder, so a folder that another user has created under this name is refused. */
async function makePrivate(folder: string, { user }: Server): Promise<void> {
  const made = await mkdir(folder, { mode: 0o700 }).then(
    () => true,
    () => false,
  );
  if (made && user) await chown(folder, user.uid, user.gid);

  const { uid, mode } = await lstat(folder);
  const isOurs = (mode & 0o170777) === 0o040700 && uid === (user?.uid ?? process.getuid?.());
  if (!isOurs) throw new DatabaseUnavailable(`${folder} belongs to another user. Remove it, or set DATABASE_URL.`);
}

/** Node does not support Unix sockets on Windows. */
async function loopbackAddress(server: Server): Promise<Address> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address() as AddressInfo;
  probe.close();
  await once(probe, 'close');

  return {
    socketFolder: server.data,
    settings: ['listen_addresses=127.0.0.1', 'unix_socket_directories=', `port=${port}`],
  };
}
