import { plural, t } from '@lingui/core/macro';
import { pathOf } from '@reborn-agent/client';
import type { Thread } from '@reborn-agent/client/api';
import { useQueryClient } from '@tanstack/react-query';
import { useNavigate, useParams } from '@tanstack/react-router';
import { client } from '../client/client.ts';
import { wordsOf } from '../parts/error-words.ts';
import { tell, UNDO_MS } from '../parts/notice.tsx';
import { createStore } from '../parts/store.ts';
import { forEachThread } from './for-each-thread.ts';
import { titleOf } from './thread-title.ts';

/** What still has to be deleted. */
const due = new Set<() => void>();
const hidden = createStore<ReadonlySet<string>>(new Set());

addEventListener('pagehide', () => {
  for (const run of due) run();
});

/** The threads that lists leave out, because they are about to be deleted. */
export const useHiddenThreads = hidden.useValue;

/** Hides threads, and deletes them once they can't be brought back: when the notice goes, or with the page. */
export function useDeleteThreads(): (threads: readonly Thread[]) => void {
  const queries = useQueryClient();
  const { threadId: open } = useParams({ strict: false });
  const navigate = useNavigate();
  return (threads) => {
    const ids = threads.map(({ id }) => id);
    const stop = () => {
      clearTimeout(timer);
      due.delete(run);
    };
    const show = () => hidden.set(hidden.get().difference(new Set(ids)));
    const run = () => {
      stop();
      void forEachThread(ids, deleteThread)
        .catch((error: unknown) => tell(wordsOf(error)))
        .then(() => queries.invalidateQueries({ queryKey: ['threads'] }))
        .then(show);
    };
    const timer = setTimeout(run, UNDO_MS);
    due.add(run);
    hidden.set(hidden.get().union(new Set(ids)));
    if (open !== undefined && ids.includes(open)) void navigate({ to: '/' });
    tell(wordsFor(threads), () => {
      stop();
      show();
    });
  };
}

function wordsFor(threads: readonly Thread[]): string {
  const [thread, ...more] = threads;
  if (thread && more.length === 0) return t`“${titleOf(thread)}” is deleted.`;
  return plural(threads.length, { one: '# thread is deleted.', other: '# threads are deleted.' });
}

/** Also while the page is closed. */
const deleteThread = (id: string) =>
  client.fetch(pathOf('DELETE /api/threads/{id}', { params: { id } }), { method: 'DELETE', keepalive: true });
