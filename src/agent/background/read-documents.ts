import type { Documents } from '#documents/documents.ts';
import type { Engine } from '#engine/engine.ts';
import { startWorkQueue } from '#engine/work-queue.ts';
import { takeWaitingDocuments } from '#store/system/texts.ts';

export type DocumentsPace = { readonly pollEveryMs: number };

type ReadingParts = {
  readonly documents: Pick<Documents, 'extractWaiting'>;
  readonly engine: Pick<Engine, 'system' | 'followDue'>;
  readonly pace?: Partial<DocumentsPace> | undefined;
  readonly onError: (error: unknown) => void;
};

/** How often to poll even though the engine has not reported any document. */
const POLL_EVERY_MS = 30_000;
/** Each is a process of up to 512 MiB. */
const AT_ONCE = 2;

/** Reads the text of new files in the background, and that of all files again with a new version of the program that reads them. */
export function startReadingDocuments({ documents, engine, pace, onError }: ReadingParts) {
  const stopping = new AbortController();
  const queue = startWorkQueue({
    take: (room) => takeWaitingDocuments(engine.system, room),
    handle: async (document) => {
      try {
        await documents.extractWaiting(document, stopping.signal);
      } catch (error) {
        if (!stopping.signal.aborted) throw error; // otherwise another replica reads it
      }
      return false;
    },
    atOnce: AT_ONCE,
    pollEveryMs: pace?.pollEveryMs ?? POLL_EVERY_MS,
    wakeOn: (runNow) => engine.followDue('documents', runNow),
    onError,
  });
  return {
    stop: async (): Promise<void> => {
      stopping.abort();
      await queue.stop();
    },
  };
}
