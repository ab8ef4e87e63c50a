import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import type { Thread } from '@reborn-agent/client/api';
import { type ReactNode, Suspense, useState } from 'react';
import { Button, IconButton } from '../parts/button.tsx';
import { wordsOf } from '../parts/error-words.ts';
import { lazyPart } from '../parts/lazy-part.ts';
import { Menu, type MenuEntry } from '../parts/menu.tsx';
import { Skeleton } from '../parts/skeleton.tsx';
import { walkList } from '../parts/walk-list.ts';
import { useThreadDrop } from './dragged-thread.ts';
import { groupThreads } from './group-threads.ts';
import { ProjectList } from './project-list.tsx';
import { ThreadRow } from './thread-row.tsx';
import { useManyThreads, useThreads } from './use-threads.ts';

const SelectThreads = lazyPart(() => import('./select-threads.tsx').then((module) => module.SelectThreads));

type Channel = Thread['channel'] | 'all';

/** The threads in groups. The menu of a group's label chooses which are shown, and selects several. */
export function ThreadList() {
  const [archived, setArchived] = useState(false);
  const [channel, setChannel] = useState<Channel>('chat');
  const [selecting, setSelecting] = useState(false);
  const [naming, setNaming] = useState(false);
  const hasProjects = !archived && channel === 'chat';
  const project = hasProjects && !selecting ? 'none' : undefined;
  const shown = { q: '', archived, channel: channel === 'all' ? undefined : channel, project };
  const { data, error, isPending, hasNextPage, fetchNextPage } = useThreads(shown);
  const threads = data?.pages.flatMap((page) => page.threads) ?? [];
  const entries: readonly MenuEntry[] = [
    { words: t`Select threads`, icon: 'check', onChoose: () => setSelecting(true) },
    {
      words: t`New project`,
      icon: 'folder',
      onChoose: () => {
        setArchived(false);
        setChannel('chat');
        setNaming(true);
      },
    },
    ...CHANNEL_NAMES.map((name) => ({
      words: channels()[name],
      icon: ICONS[name],
      chosen: channel === name,
      onChoose: () => setChannel(name),
    })),
    {
      words: archived ? t`Leave the archive` : t`Show the archive`,
      icon: 'archive',
      chosen: archived,
      onChoose: () => setArchived(!archived),
    },
  ];
  if (selecting)
    return (
      <Suspense>
        <SelectThreads threads={threads} archived={archived} onDone={() => setSelecting(false)} />
      </Suspense>
    );
  const isUsual = !archived && channel === 'chat';
  const ofShown = archived ? t`Archive, ${channels()[channel]}` : channels()[channel];
  return (
    <div className="min-h-0 flex-1 overflow-y-auto px-2 pb-2" onKeyDown={walkList}>
      {hasProjects && <ProjectList isNaming={naming} onName={() => setNaming(true)} onNamed={() => setNaming(false)} />}
      {(!isUsual || threads.length === 0) && <Label words={isUsual ? t`Threads` : ofShown} entries={entries} />}
      {isPending && !error && (
        <div className="p-2">
          <Skeleton label={t`Loading threads`} rows={5} />
        </div>
      )}
      {error && <p className="px-2 text-meta text-failed">{wordsOf(error)}</p>}
      {data && threads.length === 0 && <p className="px-2 py-1 text-meta text-soft">{emptyWords(archived, channel)}</p>}
      <ThreadGroups threads={threads} entries={entries} />
      {hasNextPage && (
        <Button look="quiet" className="mt-2 w-full" onClick={() => void fetchNextPage()}>
          <Trans>Show more</Trans>
        </Button>
      )}
    </div>
  );
}

/** A thread that is dropped here leaves its project. */
function ThreadGroups({
  threads,
  entries,
}: {
  readonly threads: readonly Thread[];
  readonly entries: readonly MenuEntry[];
}) {
  const many = useManyThreads();
  const { isOver, dropProps } = useThreadDrop((id) => many.mutate({ ids: [id], change: { project_id: null } }));
  return (
    <div {...dropProps} className={`rounded ${isOver ? 'bg-hover' : ''}`}>
      {groupThreads(threads, new Date()).map((group) => (
        <section key={group.name} aria-label={group.name}>
          <Label words={group.name} entries={entries} />
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

function Label({ words, entries }: { readonly words: ReactNode; readonly entries: readonly MenuEntry[] }) {
  return (
    <div className="group mt-2 flex min-h-7 items-center ps-2">
      <h2 className="min-w-0 flex-1 truncate text-label text-soft">{words}</h2>
      <Menu
        trigger={
          <IconButton
            icon="more"
            label={t`Choose and select threads`}
            className="size-7 opacity-0 focus-visible:opacity-100 group-focus-within:opacity-100 group-hover:opacity-100 data-popup-open:opacity-100 touch:opacity-100"
          />
        }
        entries={entries}
      />
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
const ICONS = { chat: 'chat', api: 'model', webhook: 'jobs', mission: 'clock', all: 'menu' } as const;

function emptyWords(archived: boolean, channel: Channel): string {
  if (archived) return t`The archive is empty.`;
  return channel === 'chat' ? t`No threads yet. The first message begins one.` : t`No threads here.`;
}
