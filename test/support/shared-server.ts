import { spawn } from 'node:child_process';
import { chmod, mkdtemp, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { openDatabase } from '#database/open-database.ts';
import { placeSharedCluster } from './prepared-cluster.ts';
import { urlOfServer } from './prepared-template.ts';

let shared: Promise<string> | undefined;

/**
 * The address of a PostgreSQL that all test files of this process share, each with its own databases: one is copied and
 * started for a process, not for each file.
 */
export const sharedServer = (): Promise<string> => (shared ??= startServer());

async function startServer(): Promise<string> {
  const home = await mkdtemp(path.join(tmpdir(), 'reborn-test-'));
  await chmod(home, 0o711); // as root, PostgreSQL runs as another user
  await placeSharedCluster(home);
  const { connection } = await openDatabase({ url: undefined, home });
  const [postmaster] = (await readFile(path.join(home, 'postgres-18/postmaster.pid'), 'utf8')).split('\n');
  endWithThisProcess(Number(postmaster), home);
  return urlOfServer(connection);
}

/** A shell waits for the end of its input, which comes when this process ends or is killed. Then it stops the server and removes its data. */
function endWithThisProcess(postmaster: number, home: string): void {
  const script = 'cat; kill -QUIT "$1"; while kill -0 "$1"; do sleep 0.1; done; rm -rf "$2"';
  const words = ['-c', script, 'sh', String(postmaster), home];
  const shell = spawn('sh', words, { stdio: ['pipe', 'ignore', 'ignore'], detached: true });
  shell.unref();
  (shell.stdin as unknown as { unref(): void }).unref(); // it is a socket
}
