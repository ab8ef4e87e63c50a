import { EventEmitter } from 'node:events';
import type { TurnId } from '#domain/ids.ts';

export type TurnEnds = {
  /** Resolves when the turn has ended here, or after a while: it may have ended elsewhere. */
  next(turnId: TurnId): Promise<void>;
  announce(turnId: TurnId): void;
};

const LOOK_AGAIN_MS = 300;

export function createTurnEnds(): TurnEnds {
  const emitter = new EventEmitter().setMaxListeners(0);
  return {
    next: (turnId) =>
      new Promise((resolve) => {
        const done = () => {
          clearTimeout(timeout);
          emitter.off(turnId, done);
          resolve();
        };
        const timeout = setTimeout(done, LOOK_AGAIN_MS);
        emitter.once(turnId, done);
      }),
    announce: (turnId) => void emitter.emit(turnId),
  };
}
