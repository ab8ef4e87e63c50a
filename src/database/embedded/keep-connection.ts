import { Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import type pg from 'pg';

type KeptConnection = { release(): Promise<void> };

const LONGEST_PAUSE = 5_000;

/** Keeps `client` open until it is released, and reconnects whenever it is lost. It does not keep the process alive. */
export function keepConnection(client: pg.Client, reach: () => Promise<pg.Client>): KeptConnection {
  const released = new AbortController();
  let current = client;
  let reviving = Promise.resolve();

  const keep = (next: pg.Client): void => {
    current = next;
    socketOf(current)?.unref();
    current.once('end', () => {
      if (!released.signal.aborted) reviving = revive();
    });
  };
  const revive = async (): Promise<void> => {
    for (let wait = 50; !released.signal.aborted; wait = Math.min(wait * 2, LONGEST_PAUSE)) {
      await pause(wait, undefined, { ref: false, signal: released.signal }).catch(() => {});
      if (released.signal.aborted) return;
      const next = await reach().catch(() => undefined);
      if (next) return keep(next);
    }
  };
  keep(client);

  return {
    async release() {
      released.abort();
      await reviving;
      socketOf(current)?.ref();
      await current.end();
    },
  };
}

function socketOf(client: pg.Client): Socket | undefined {
  const { stream } = client.connection;
  return stream instanceof Socket ? stream : undefined;
}
