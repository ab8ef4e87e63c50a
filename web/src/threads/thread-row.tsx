import { t } from '@lingui/core/macro';
import type { Thread } from '@reborn-agent/client/api';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { formatExact } from '../format/time.ts';
import { IconButton } from '../parts/button.tsx';
import { Menu } from '../parts/menu.tsx';
import { RunningRing } from '../parts/running-ring.tsx';
import { dragsThread } from './dragged-thread.ts';
import { RenameThread } from './rename-thread.tsx';
import { titleOf } from './thread-title.ts';
import { useThreadMenu } from './use-thread-menu.tsx';

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
        aria-label={[titleOf(thread), thread.unread ? t`not read` : states()[thread.status]].filter(Boolean).join(', ')}
        className="flex min-h-target items-center gap-2 rounded py-1 ps-2 pe-3 group-focus-within:pe-8 group-hover:pe-8 touch:pe-8 hover:bg-hover"
        activeProps={{ className: 'bg-hover font-medium', 'aria-current': 'page' }}
      >
        <span className="min-w-0 flex-1 truncate">{titleOf(thread)}</span>
        {thread.status === 'running' && <RunningRing />}
        {thread.status === 'waiting' && <span className="dot bg-ember" />}
        {thread.unread && <span className="dot bg-ink group-has-[[aria-current=page]]:hidden" />}
      </Link>
      <ThreadMenu thread={thread} onRename={() => setRenaming(true)} />
    </li>
  );
}

function ThreadMenu({ thread, onRename }: { readonly thread: Thread; readonly onRename: () => void }) {
  const { entries, dialogs } = useThreadMenu(thread, { onRename });
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
        entries={entries}
      />
      {dialogs}
    </>
  );
}
