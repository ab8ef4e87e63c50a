import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import type { Thread } from '@reborn-agent/client/api';
import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { Suspense, useState } from 'react';
import { useServices } from '../app/services.ts';
import { download } from '../client/files.ts';
import { formatExact } from '../format/time.ts';
import { IconButton } from '../parts/button.tsx';
import { Confirm } from '../parts/confirm.tsx';
import { lazyPart } from '../parts/lazy-part.ts';
import { Menu } from '../parts/menu.tsx';
import { RunningRing } from '../parts/running-ring.tsx';
import { dragsThread } from './dragged-thread.ts';
import { RenameThread } from './rename-thread.tsx';
import { useChangeThread, useDeleteThread } from './use-threads.ts';

const MoveThreads = lazyPart(() => import('./move-threads.tsx').then((module) => module.MoveThreads));
const ShareThread = lazyPart(() => import('./share-thread.tsx').then((module) => module.ShareThread));

const states = (): Record<Thread['status'], string> => ({
  idle: '',
  running: t`running`,
  waiting: t`waits for you`,
});

export function ThreadRow({ thread }: { readonly thread: Thread }) {
  const [renaming, setRenaming] = useState(false);
  if (renaming) return <RenameThread thread={thread} onDone={() => setRenaming(false)} />;
  return (
    <li className="group relative" {...dragsThread(thread.id)}>
      <Link
        to="/threads/$threadId"
        params={{ threadId: thread.id }}
        title={`${thread.title}\n${formatExact(thread.updated_at)}`}
        aria-label={[titleOf(thread), states()[thread.status]].filter(Boolean).join(', ')}
        className="flex min-h-target items-center gap-2 rounded py-1 ps-2 pe-3 group-focus-within:pe-8 group-hover:pe-8 touch:pe-8 hover:bg-hover"
        activeProps={{ className: 'bg-hover font-medium', 'aria-current': 'page' }}
      >
        {thread.status === 'running' ? (
          <RunningRing />
        ) : (
          <span className={`dot ${thread.status === 'waiting' ? 'bg-ember' : ''}`} />
        )}
        <span className="min-w-0 flex-1 truncate">{titleOf(thread)}</span>
      </Link>
      <ThreadMenu thread={thread} onRename={() => setRenaming(true)} />
    </li>
  );
}

function ThreadMenu({ thread, onRename }: { readonly thread: Thread; readonly onRename: () => void }) {
  const { me } = useServices();
  const [deleting, setDeleting] = useState(false);
  const [sharing, setSharing] = useState(false);
  const [moving, setMoving] = useState(false);
  const { threadId: shown } = useParams({ strict: false });
  const navigate = useNavigate();
  const change = useChangeThread(thread.id);
  const remove = useDeleteThread(thread.id);
  const leave = () => shown === thread.id && void navigate({ to: '/' });
  const exportAs = (format: string) => void download(`/api/threads/${thread.id}/export?format=${format}`);
  return (
    <>
      <Menu
        trigger={
          <IconButton
            icon="more"
            label={t`Actions on ${titleOf(thread)}`}
            className="absolute end-0 top-0 opacity-0 focus-visible:opacity-100 group-focus-within:opacity-100 group-hover:opacity-100 data-popup-open:opacity-100 touch:opacity-100"
          />
        }
        entries={[
          { words: t`Rename`, icon: 'edit', onChoose: onRename },
          {
            words: thread.pinned ? t`Unpin` : t`Pin`,
            icon: 'pin',
            onChoose: () => change.mutate({ pinned: !thread.pinned }),
          },
          {
            words: thread.archived ? t`Take out of the archive` : t`Archive`,
            icon: 'archive',
            onChoose: () => change.mutate({ archived: !thread.archived }),
          },
          ...(me.code_hosts.length > 0
            ? [
                {
                  words: thread.network ? t`End network for code` : t`Allow network for code`,
                  icon: 'link',
                  onChoose: () => change.mutate({ network: !thread.network }),
                } as const,
              ]
            : []),
          { words: t`Move to a folder`, icon: 'folder', onChoose: () => setMoving(true) },
          ...(me.sharing ? [{ words: t`Share`, icon: 'link', onChoose: () => setSharing(true) } as const] : []),
          { words: t`Export as Markdown`, icon: 'export', onChoose: () => exportAs('markdown') },
          { words: t`Export as JSON`, icon: 'export', onChoose: () => exportAs('json') },
          {
            words: t`Print or save as PDF`,
            icon: 'file',
            onChoose: () => void navigate({ to: '/threads/$threadId/print', params: { threadId: thread.id } }),
          },
          { words: t`Delete`, icon: 'trash', danger: true, onChoose: () => setDeleting(true) },
        ]}
      />
      {moving && (
        <Suspense>
          <MoveThreads ids={[thread.id]} from={thread.folder_id} onClose={() => setMoving(false)} />
        </Suspense>
      )}
      {sharing && (
        <Suspense>
          <ShareThread thread={thread} onClose={() => setSharing(false)} />
        </Suspense>
      )}
      {deleting && (
        <Confirm
          title={t`Delete this thread?`}
          action={t`Delete`}
          onConfirm={() => remove.mutate(undefined, { onSuccess: leave })}
          onClose={() => setDeleting(false)}
        >
          <Trans>“{titleOf(thread)}” and everything in it will be gone. This cannot be undone.</Trans>
        </Confirm>
      )}
    </>
  );
}

export const titleOf = (thread: Thread) => thread.title || t`Untitled`;
