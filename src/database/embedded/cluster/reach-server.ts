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
  /** The server was told to start: there is nothing to do until it is ready. */
  readonly onWaiting: () => void;
};

/** The running server, started or even made first when there is none. Only under the launch lock. */
export async function reachServer(server: Server, { log, onWaiting }: StartEvents): Promise<Postmaster> {
  const deadline = Date.now() + PATIENCE_MILLISECONDS;
  while (Date.now() < deadline) {
    const postmaster = await findPostmaster(server.data);
    if (postmaster?.status === 'ready') return postmaster;

    if (postmaster) {
      await pause(20); // it recovers from a crash, or somebody stops it by hand
      continue;
    }
    await removeOldRuntimes(server);
    await createCluster(server, log);
    await startServer(server, onWaiting);
  }
  throw new DatabaseUnavailable(`PostgreSQL does not get ready. Its log is in ${server.data}; or set DATABASE_URL.`);
}
