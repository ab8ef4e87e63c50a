import { t } from '@lingui/core/macro';
import type { Thread } from '@reborn-agent/client/api';
import { useNavigate } from '@tanstack/react-router';
import { type ReactNode, Suspense, useState } from 'react';
import { useServices } from '../app/services.ts';
import { download } from '../client/files.ts';
import { wordsOf } from '../parts/error-words.ts';
import { lazyPart } from '../parts/lazy-part.ts';
import type { MenuEntry } from '../parts/menu.tsx';
import { tell } from '../parts/notice.tsx';
import { useDeleteThreads } from './delete-threads.ts';
import { titleOf } from './thread-title.ts';
import { useChangeThread, useCompactThread } from './use-threads.ts';

const MoveThreads = lazyPart(() => import('./move-threads.tsx').then((module) => module.MoveThreads));
const ShareThread = lazyPart(() => import('./share-thread.tsx').then((module) => module.ShareThread));

type Shown = 'move' | 'share';

/** What can be done with a thread, in the list and in its own header. `dialogs` stand beside the menu. */
export function useThreadMenu(
  thread: Thread,
  options: { readonly onRename: () => void; readonly onInspect?: (() => void) | undefined },
): { readonly entries: readonly MenuEntry[]; readonly share: (() => void) | undefined; readonly dialogs: ReactNode } {
  const { me } = useServices();
  const [shown, setShown] = useState<Shown>();
  const navigate = useNavigate();
  const { project_id: projectId } = thread;
  const change = useChangeThread(thread.id);
  const remove = useDeleteThreads();
  const share = me.sharing ? () => setShown('share') : undefined;
  // The row of the list goes away with it, so the page says it.
  const archive = async () => {
    await change.mutateAsync({ archived: !thread.archived });
    const title = titleOf(thread);
    tell(thread.archived ? t`“${title}” is out of the archive.` : t`“${title}” is in the archive.`, () =>
      change.mutate({ archived: thread.archived }),
    );
  };
  const compact = useCompact(thread);
  const entries: readonly MenuEntry[] = [
    { words: t`Rename`, icon: 'edit', onChoose: options.onRename, ...(options.onInspect && { keys: 'F2' }) },
    {
      words: thread.pinned ? t`Unpin` : t`Pin`,
      icon: 'pin',
      onChoose: () => change.mutate({ pinned: !thread.pinned }),
    },
    ...(projectId === null
      ? []
      : [
          {
            words: t`Open the project`,
            icon: 'folder',
            onChoose: () => void navigate({ to: '/projects/$projectId', params: { projectId } }),
          } as const,
        ]),
    { words: t`Move to a project`, icon: 'folder', onChoose: () => setShown('move') },
    { words: t`Copy link`, icon: 'copy', onChoose: () => void copyLink(thread.id) },
    ...(share ? [{ words: t`Share`, icon: 'link', onChoose: share } as const] : []),
    ...exportsOf(thread.id, () => void navigate({ to: '/threads/$threadId/print', params: { threadId: thread.id } })),
    ...(options.onInspect
      ? [
          {
            words: thread.compact_asked ? t`Keep earlier messages as they are` : t`Summarise earlier messages`,
            icon: 'filter',
            onChoose: compact,
          } as const,
          { words: t`Inspector`, icon: 'inspect', onChoose: options.onInspect } as const,
        ]
      : []),
    ...(me.code_hosts.length > 0
      ? [
          {
            words: thread.network ? t`End network for code` : t`Allow network for code`,
            icon: 'link',
            onChoose: () => change.mutate({ network: !thread.network }),
          } as const,
        ]
      : []),
    {
      words: thread.archived ? t`Take out of the archive` : t`Archive`,
      icon: 'archive',
      onChoose: () => void archive(),
    },
    { words: t`Delete`, icon: 'trash', danger: true, onChoose: () => remove([thread]) },
  ];
  const dialogs = <ThreadDialogs thread={thread} shown={shown} onClose={() => setShown(undefined)} />;
  return { entries, share, dialogs };
}

/** The next message begins with a summary of what was said before, or no longer. */
function useCompact({ id, compact_asked: isAsked }: Thread): () => void {
  const { mutateAsync: ask } = useCompactThread(id);
  const set = async (asks: boolean) => {
    await ask(asks);
    if (asks) tell(t`Your next message begins with a summary of what was said before.`, () => void attempt(false));
    else tell(t`Your next message begins without a summary.`);
  };
  const attempt = (asks: boolean) => set(asks).catch((error: unknown) => tell(wordsOf(error)));
  return () => void attempt(!isAsked);
}

async function copyLink(id: string): Promise<void> {
  await navigator.clipboard.writeText(`${location.origin}/threads/${id}`);
  tell(t`The link is copied. It opens for you alone.`);
}

function exportsOf(id: string, print: () => void): readonly MenuEntry[] {
  const as = (format: string) => void download(`/api/threads/${id}/export?format=${format}`);
  return [
    { words: t`Export as Markdown`, icon: 'export', onChoose: () => as('markdown') },
    { words: t`Export as JSON`, icon: 'export', onChoose: () => as('json') },
    { words: t`Print or save as PDF`, icon: 'file', onChoose: print },
  ];
}

function ThreadDialogs({
  thread,
  shown,
  onClose,
}: {
  readonly thread: Thread;
  readonly shown: Shown | undefined;
  readonly onClose: () => void;
}) {
  return (
    <Suspense>
      {shown === 'move' && <MoveThreads ids={[thread.id]} from={thread.project_id} onClose={onClose} />}
      {shown === 'share' && <ShareThread thread={thread} onClose={onClose} />}
    </Suspense>
  );
}
