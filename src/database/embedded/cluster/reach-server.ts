import { setTimeout as pause } from 'node:timers/promises';
import { DatabaseUnavailable } from '../../database-unavailable.ts';
import { removeOldRuntimes } from '../runtime/prepare-runtime.ts';
import { createCluster } from './create-cluster.ts';
import { findPostmaster, type Postmaster } from './postmaster.ts';
import type { Server } from './server.ts';
import { startServer } from './start-server.ts';

const PATIENCE_MILLISECONDS = 120_000;

export type StartEvents = {
  readonly log: (message: string) => void;
  /** The server is starting; the caller can do other work until it is ready. */
  readonly onWaiting: () => void;
};

/** The running server; starts it, or creates it first, if needed. Call only under the launch lock. */
export async function reachServer(server: Server, { log, onWaiting }: StartEvents): Promise<Postmaster> {
  const deadline = Date.now() + PATIENCE_MILLISECONDS;
  while (Date.now() < deadline) {
    const postmaster = await findPostmaster(server.data);
    if (postmaster?.status === 'ready') return postmaster;

    if (postmaster) {
      await pause(20); // it is recovering from a crash, or is being stopped
      continue;
    }
    await removeOldRuntimes(server);
    await createCluster(server, log);
    await startServer(server, onWaiting);
  }
  throw new DatabaseUnavailable(`PostgreSQL did not become ready. See its log in ${server.data}, or set DATABASE_URL.`);
}
