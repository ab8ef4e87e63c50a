import { chmod, mkdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { chooseAddress, temporaryFolder } from './choose-address.ts';

const data = path.join('/', 'long'.repeat(30));
const server = { runtime: '/', data, passwordFile: '/', user: undefined };

test('a socket folder that other users could enter is refused', async () => {
  const folder = temporaryFolder(data);
  await mkdir(folder);
  await chmod(folder, 0o777);

  await expect(chooseAddress(server)).rejects.toThrow('belongs to another user');

  await rm(folder, { recursive: true });
});

test('a short data folder holds its own socket', async () => {
  expect(await chooseAddress({ ...server, data: '/home/ann/.reborn/postgres-18' })).toMatchObject({
    socketFolder: '/home/ann/.reborn/postgres-18',
    settings: expect.arrayContaining(['listen_addresses=', 'unix_socket_directories=.']),
  });
});
