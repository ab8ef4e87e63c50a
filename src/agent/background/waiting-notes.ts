import type { Embedder } from '#domain/embedder.ts';
import { eachAlone } from '#engine/each-alone.ts';
import type { Engine } from '#engine/engine.ts';
import { type EmbeddingPace, embedTexts } from '#memory/embed-texts.ts';
import type { Database } from '#store/connection.ts';
import { NOTES, PASSAGES } from '#store/search/search-source.ts';
import { findOwnersOfWaiting } from '#store/system/texts.ts';

export type NotesPace = EmbeddingPace & { readonly pollEveryMs: number };

type WaitingNotesOptions = {
  readonly db: Database;
  readonly engine: Pick<Engine, 'system' | 'startLeaderTask'>;
  readonly embedder: Embedder;
  readonly pace?: Partial<NotesPace> | undefined;
  /** A note could not be embedded. It is tried again later. */
  readonly onFailure: (failure: Error) => void;
};

const POLL_EVERY_MS = 2000;

/** Embeds new notes and passages of documents in the background, and all of them again after the model has changed. */
export function startEmbeddingNotes(options: WaitingNotesOptions) {
  const stopping = new AbortController();
  const task = options.engine.startLeaderTask('waiting_notes', options.pace?.pollEveryMs ?? POLL_EVERY_MS, () =>
    embedWaitingNotes(options, stopping.signal),
  );
  return {
    stop: async (): Promise<void> => {
      stopping.abort();
      await task.stop();
    },
  };
}

/** An unreachable model is tried again in the next round. */
async function embedWaitingNotes(options: WaitingNotesOptions, signal: AbortSignal): Promise<void> {
  const { db, engine, embedder, pace, onFailure } = options;
  let isUnreachable = false;
  await eachAlone([NOTES, PASSAGES], async (source) =>
    eachAlone(await findOwnersOfWaiting(engine.system, source.table, embedder.model), async (userId) => {
      if (signal.aborted || isUnreachable) return;
      const failure = await embedTexts(db, { userId }, { source, embedder, signal, ...(pace && { pace }) });
      if (!failure || signal.aborted) return;
      onFailure(failure);
      isUnreachable = !failure.refused;
    }),
  );
}
