import { ownCell } from '#domain/cell/cell.ts';
import type { UserId } from '#domain/principal.ts';
import type { Engine } from '#engine/engine.ts';
import { repeat } from '#engine/repeat.ts';

/** How often to poll without a signal. */
const POLL_EVERY_MS = 20_000;

export type ReleasingParts = {
  readonly engine: Pick<Engine, 'followRemovals'>;
  /** The users who are leaving for another cell. */
  readonly findLeaving: () => Promise<UserId[]>;
  /** Called once for each of them, on every replica. */
  readonly onLeaving: (userId: UserId) => void;
  readonly onError: (error: unknown) => void;
};

/** Notices users who leave this cell. Nothing to do in a single installation. */
export function startReleasingUsers({ engine, findLeaving, onLeaving, onError }: ReleasingParts) {
  if (ownCell() === undefined) return undefined;
  let known = new Set<UserId>();

  async function poll(): Promise<void> {
    const leaving = await findLeaving();
    for (const userId of leaving) if (!known.has(userId)) onLeaving(userId);
    known = new Set(leaving);
  }

  const polling = repeat(POLL_EVERY_MS, poll, onError);
  engine.followRemovals(polling.runNow);
  return polling;
}
