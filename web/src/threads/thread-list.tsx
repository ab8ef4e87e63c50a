import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import type { Thread } from '@reborn-agent/client/api';
import { Suspense, useDeferredValue, useState } from 'react';
import { Button, IconButton } from '../parts/button.tsx';
import { wordsOf } from '../parts/error-words.ts';
import { lazyPart } from '../parts/lazy-part.ts';
import { Menu } from '../parts/menu.tsx';
import { Skeleton } from '../parts/skeleton.tsx';
import { useThreadDrop } from './dragged-thread.ts';
import { FolderList } from './folder-list.tsx';
import { FoundMessages } from './found-messages.tsx';
import { groupThreads } from './group-threads.ts';
import { ThreadRow } from './thread-row.tsx';
import { useManyThreads, useThreads } from './use-threads.ts';

const SelectThreads = lazyPart(() => import('./select-threads.tsx').then((module) => module.SelectThreads));

type Channel = Thread['channel'] | 'all';

/** The threads, searched and in groups. Threads of programs are shown on request. */
export function ThreadList() {
  const [text, setText] = useState('');
  const [archived, setArchived] = useState(false);
  const [channel, setChannel] = useState<Channel>('chat');
  const [selecting, setSelecting] = useState(false);
  const q = useDeferredValue(text.trim());
  const [naming, setNaming] = useState(false);
  const hasFolders = q === '' && !archived && channel === 'chat';
  const folder = hasFolders && !selecting ? 'none' : undefined;
  const shown = { q, archived, channel: channel === 'all' ? undefined : channel, folder };
  const { data, error, isPending, hasNextPage, fetchNextPage } = useThreads(shown);
  const threads = data?.pages.flatMap((page) => page.threads) ?? [];
  return (
    <>
      <div className="flex items-center gap-1 px-2 pb-2">
        <input
          type="search"
          aria-label={t`Search threads and messages`}
          placeholder={archived ? t`Search the archive` : t`Search`}
          value={text}
          onChange={(event) => setText(event.target.value)}
          className="field w-full px-2"
        />
        <Menu
          trigger={
            <IconButton
              icon="filter"
              label={t`Show: ${channels()[channel]}`}
              className={channel === 'chat' && !archived ? '' : 'bg-hover text-ink'}
            />
          }
          entries={[
            ...CHANNEL_NAMES.map((name) => ({
              words: channels()[name],
              icon: ICONS[name],
              chosen: channel === name,
              onChoose: () => setChannel(name),
            })),
            {
              words: archived ? t`Leave the archive` : t`Show the archive`,
              icon: 'archive' as const,
              chosen: archived,
              onChoose: () => setArchived(!archived),
            },
            {
              words: t`New folder`,
              icon: 'folder' as const,
              onChoose: () => {
                setText('');
                setArchived(false);
                setChannel('chat');
                setNaming(true);
              },
            },
            { words: t`Select threads`, icon: 'check' as const, onChoose: () => setSelecting(true) },
          ]}
        />
      </div>
      {selecting ? (
        <Suspense>
          <SelectThreads threads={threads} archived={archived} onDone={() => setSelecting(false)} />
        </Suspense>
      ) : (
        <div className="min-h-0 flex-1 overflow-y-auto px-2 pb-2">
          {isPending && !error && (
            <div className="p-2">
              <Skeleton label={t`Loading threads`} rows={5} />
            </div>
          )}
          {error && <p className="px-2 text-meta text-failed">{wordsOf(error)}</p>}
          {hasFolders && <FolderList isNaming={naming} onNamed={() => setNaming(false)} />}
          {(archived || channel !== 'chat') && (
            <p className="px-2 pt-1 text-meta text-soft">
              {archived ? t`Archive, ${channels()[channel]}` : channels()[channel]}
            </p>
          )}
          {data && threads.length === 0 && (
            <p className="px-2 py-1 text-meta text-soft">{emptyWords(q, archived, channel)}</p>
          )}
          <ThreadGroups threads={threads} />
          {q && <FoundMessages q={q} />}
          {hasNextPage && (
            <Button look="quiet" className="mt-2 w-full" onClick={() => void fetchNextPage()}>
              <Trans>Show more</Trans>
            </Button>
          )}
        </div>
      )}
    </>
  );
}

/** A thread that is dropped here leaves its folder. */
function ThreadGroups({ threads }: { readonly threads: readonly Thread[] }) {
  const many = useManyThreads();
  const { isOver, dropProps } = useThreadDrop((id) => many.mutate({ ids: [id], change: { folder_id: null } }));
  return (
    <div {...dropProps} className={`rounded ${isOver ? 'bg-hover' : ''}`}>
      {groupThreads(threads, new Date()).map((group) => (
        <section key={group.name} aria-label={group.name}>
          <h2 className="px-2 pb-1 pt-3 text-label text-soft">{group.name}</h2>
          <ul>
            {group.threads.map((thread) => (
              <ThreadRow key={thread.id} thread={thread} />
            ))}
          </ul>
        </section>
      ))}
      {many.error && <p className="px-2 text-meta text-failed">{wordsOf(many.error)}</p>}
    </div>
  );
}

const channels = (): Record<Channel, string> => ({
  chat: t`Chats`,
  api: 'API',
  webhook: t`Webhooks`,
  mission: t`Missions`,
  all: t`All threads`,
});
const CHANNEL_NAMES = ['chat', 'api', 'webhook', 'mission', 'all'] as const;
const ICONS = { chat: 'chat', api: 'model', webhook: 'jobs', mission: 'retry', all: 'menu' } as const;

function emptyWords(q: string, archived: boolean, channel: Channel): string {
  if (q) return t`No threads match “${q}”.`;
  if (archived) return t`The archive is empty.`;
  return channel === 'chat' ? t`No threads yet. The first message begins one.` : t`No threads here.`;
}
