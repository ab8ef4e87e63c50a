import { useDeferredValue, useState } from 'react';
import { Button, IconButton } from '../parts/button.tsx';
import { wordsOf } from '../parts/problem.tsx';
import { Skeleton } from '../parts/skeleton.tsx';
import { FoundMessages } from './found-messages.tsx';
import { groupThreads } from './group-threads.ts';
import { ThreadRow } from './thread-row.tsx';
import { useThreads } from './use-threads.ts';

/** The threads, searched and in groups. */
export function ThreadList() {
  const [text, setText] = useState('');
  const [archived, setArchived] = useState(false);
  const q = useDeferredValue(text.trim());
  const { data, error, isPending, hasNextPage, fetchNextPage } = useThreads({ q, archived });
  const threads = data?.pages.flatMap((page) => page.threads) ?? [];
  return (
    <>
      <div className="flex items-center gap-1 px-2 pb-2">
        <input
          type="search"
          aria-label="Search threads and messages"
          placeholder={archived ? 'Search the archive' : 'Search'}
          value={text}
          onChange={(event) => setText(event.target.value)}
          className="min-h-8 w-full min-w-0 rounded border border-edge bg-raised px-2 text-m"
        />
        <IconButton
          icon="archive"
          label={archived ? 'Show the threads' : 'Show the archive'}
          aria-pressed={archived}
          className={archived ? 'bg-hover text-ink' : ''}
          onClick={() => setArchived(!archived)}
        />
      </div>
      <div className="min-h-0 flex-1 overflow-y-auto px-2 pb-2">
        {isPending && !error && (
          <div className="p-2">
            <Skeleton label="Loading threads" rows={5} />
          </div>
        )}
        {error && <p className="px-2 text-s text-failed">{wordsOf(error)}</p>}
        {data && threads.length === 0 && <p className="px-2 py-1 text-s text-soft">{emptyWords(q, archived)}</p>}
        {groupThreads(threads, new Date()).map((group) => (
          <section key={group.name} aria-label={group.name}>
            <h2 className="px-2 pb-1 pt-3 text-s text-soft">{group.name}</h2>
            <ul>
              {group.threads.map((thread) => (
                <ThreadRow key={thread.id} thread={thread} />
              ))}
            </ul>
          </section>
        ))}
        {q && <FoundMessages q={q} />}
        {hasNextPage && (
          <Button look="quiet" className="mt-2 w-full" onClick={() => void fetchNextPage()}>
            Show more
          </Button>
        )}
      </div>
    </>
  );
}

function emptyWords(q: string, archived: boolean): string {
  if (q) return `No threads match “${q}”.`;
  return archived ? 'The archive is empty.' : 'No threads yet. The first message begins one.';
}
