import { Trans } from '@lingui/react/macro';
import type { ReactNode } from 'react';
import { Button } from '../parts/button.tsx';
import { wordsOf } from '../parts/error-words.ts';
import { ThreadRow } from './thread-row.tsx';
import { useThreads } from './use-threads.ts';

/** The person's threads in a project. `empty`: what stands there while there are none. */
export function ProjectThreads({
  id,
  empty,
  className = '',
}: {
  readonly id: string;
  readonly empty: ReactNode;
  readonly className?: string;
}) {
  const { data, error, hasNextPage, fetchNextPage } = useThreads({ q: '', archived: false, project: id });
  const threads = data?.pages.flatMap((page) => page.threads) ?? [];
  return (
    <>
      {error && <p className="px-2 text-meta text-failed">{wordsOf(error)}</p>}
      {data && threads.length === 0 && empty}
      {threads.length > 0 && (
        <ul className={className}>
          {threads.map((thread) => (
            <ThreadRow key={thread.id} thread={thread} />
          ))}
        </ul>
      )}
      {hasNextPage && (
        <Button look="quiet" className="w-full" onClick={() => void fetchNextPage()}>
          <Trans>Show more</Trans>
        </Button>
      )}
    </>
  );
}
