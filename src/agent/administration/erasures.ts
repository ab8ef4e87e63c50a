import { setTimeout as sleep } from 'node:timers/promises';
import type { Erasure } from '#domain/erasure.ts';
import type { Principal, UserId } from '#domain/principal.ts';
import type { Engine } from '#engine/engine.ts';
import type { Database } from '#store/connection.ts';
import { cancelTurnsOf } from '../background/end-removed-users.ts';

export type Erasures = ReturnType<typeof createErasures>;

/** How long a caller waits for the certificate. The erasure continues after that. */
const WAIT_MS = 20_000;

type Requests = {
  readonly request: (actor: Principal, subject: UserId) => Promise<Erasure>;
  readonly get: (actor: Principal, id: string) => Promise<Erasure>;
  readonly list: (actor: Principal, page: { after: string | undefined; limit: number }) => Promise<Erasure[]>;
};

/** Erases users. `requests` checks who asks, and ends the user's access. */
export function createErasures(parts: {
  readonly db: Database;
  readonly engine: Engine;
  readonly requests: Requests;
  readonly run: (erasure: string) => Promise<unknown>;
  readonly onError: (error: unknown) => void;
}) {
  const { db, engine, requests } = parts;
  return {
    list: requests.list,
    get: requests.get,

    /** Cancels the user's turns and deletes everything. The result is not complete yet if that takes long. */
    async erase(actor: Principal, subject: UserId): Promise<Erasure> {
      const erasure = await requests.request(actor, subject);
      if (erasure.completedAt) return erasure;
      await cancelTurnsOf(db, engine, subject);
      const erased = parts.run(erasure.id).catch(parts.onError);
      await Promise.race([erased, sleep(WAIT_MS, undefined, { ref: false })]);
      return requests.get(actor, erasure.id);
    },
  };
}
