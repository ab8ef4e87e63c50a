import { Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import type pg from 'pg';
import { backoff } from '#domain/backoff.ts';

type KeptConnection = { release(): Promise<void> };

const RETRY_MS = { first: 50, longest: 5000 };

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
    for (let tries = 1; !released.signal.aborted; tries++) {
      await pause(backoff(tries, RETRY_MS), undefined, { ref: false, signal: released.signal }).catch(() => {});
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
