import { rmdir } from 'node:fs/promises';
import { temporaryFolder } from './choose-address.ts';
import { runProgram } from './run-program.ts';
import type { Server } from './server.ts';

/** Ends every session, writes everything down and waits until the server is gone. */
export async function stopServer(server: Server): Promise<void> {
  const words = ['stop', '--silent', '--wait', '--timeout=120', '--mode=fast', '-D', '.'];
  await runProgram(server, 'pg_ctl', words, server.data);
  await rmdir(temporaryFolder(server.data)).catch(() => {}); // there is one only for long paths
}
