import { readFile, rename, rmdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { DatabaseUnavailable } from '../../database-unavailable.ts';
import { chooseAddress, temporaryFolder } from './choose-address.ts';
import { disownPostmaster } from './postmaster.ts';
import { runProgram } from './run-program.ts';
import type { Server } from './server.ts';

const LOG_FILE = 'server.log';
const LOG_LIMIT = 10_000_000;
const PATIENCE_MILLISECONDS = 20_000;

/** Starts PostgreSQL in a separate session and waits until it is ready. On Windows, pg_ctl drops administrator rights. */
export async function startServer(server: Server, onWaiting: () => void): Promise<void> {
  const deadline = Date.now() + PATIENCE_MILLISECONDS;
  const logged = await startLog(server);
  const { socketFolder, settings } = await chooseAddress(server);
  await disownPostmaster(server.data, socketFolder);

  // pg_ctl passes its arguments through a shell, so they must not contain a path chosen by the user.
  const options = settings.map((setting) => `-c ${setting}`).join(' ');
  const words = ['start', '--silent', '--wait', '--timeout=120', '-D', '.', '-l', LOG_FILE, '-o', options];
  for (;;) {
    try {
      const started = runProgram(server, 'pg_ctl', words, server.data);
      onWaiting();
      return await started;
    } catch (error) {
      const reason = (await readLog(server)).slice(logged);
      // The backends of a killed server are still exiting.
      if (!reason.includes('pre-existing shared memory block') || Date.now() > deadline) throw explain(error, reason);
    }
    await pause(50);
  }
}

/** The position in the log where this start begins. */
async function startLog(server: Server): Promise<number> {
  const file = path.join(server.data, LOG_FILE);
  const size = (await stat(file).catch(() => undefined))?.size ?? 0;
  if (size > LOG_LIMIT) await rename(file, `${file}.old`);
  return (await readLog(server)).length;
}

function readLog(server: Server): Promise<string> {
  return readFile(path.join(server.data, LOG_FILE), 'latin1').catch(() => '');
}

function explain(error: unknown, reason: string): unknown {
  if (!(error instanceof DatabaseUnavailable) || !reason) return error;
  return new DatabaseUnavailable(`${error.message}\n${reason.trim()}`);
}

/** Ends every session, writes all data to disk and waits until the server has stopped. */
export async function stopServer(server: Server): Promise<void> {
  const words = ['stop', '--silent', '--wait', '--timeout=120', '--mode=fast', '-D', '.'];
  await runProgram(server, 'pg_ctl', words, server.data);
  await rmdir(temporaryFolder(server.data)).catch(() => {}); // exists only for long paths
}
