import type { ToolProgress } from '#domain/thread/turn-event.ts';
import { cleanText } from './clean-text.ts';

const EVERY_MS = 500;
const MOST = 200;
const MAX_MESSAGE_BYTES = 200;

/** Passes on what a server says about the progress of a call, at most twice a second. */
export function showProgress(show: (progress: ToolProgress) => void) {
  let shownAt = -Infinity;
  let shown = 0;
  return ({ progress, total, message }: Received): void => {
    const now = performance.now();
    if (now - shownAt < EVERY_MS || shown >= MOST || !Number.isFinite(progress)) return;
    shownAt = now;
    shown++;
    show({
      progress,
      total: total !== undefined && Number.isFinite(total) && total > 0 ? total : null,
      message: message === undefined ? null : cleanText(message, MAX_MESSAGE_BYTES).replace(/\s+/g, ' '),
    });
  };
}

type Received = {
  readonly progress: number;
  readonly total?: number | undefined;
  readonly message?: string | undefined;
};
