import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import type { Thread } from '@reborn-agent/client/api';
import { firstAfterClean, hasReadOthers } from '@reborn-agent/client/text-by-others';
import type { ThreadState } from '@reborn-agent/client/thread-state';
import { Link, useNavigate } from '@tanstack/react-router';
import { type ReactNode, useEffect, useEffectEvent, useState } from 'react';
import { useServices } from '../app/services.ts';
import { SidebarToggle } from '../app/sidebar-toggle.tsx';
import type { Panel } from '../files/use-panel.ts';
import { Button, IconButton } from '../parts/button.tsx';
import { Cost } from '../parts/cost.tsx';
import { Icon } from '../parts/icon.tsx';
import { Menu } from '../parts/menu.tsx';
import { NameInput } from '../threads/name-input.tsx';
import { titleOf } from '../threads/thread-title.ts';
import { useProjects } from '../threads/use-projects.ts';
import { useThreadMenu } from '../threads/use-thread-menu.tsx';
import { useChangeThread } from '../threads/use-threads.ts';
import { useActions } from './chat-actions.ts';
import { TemporaryMark } from './temporary.tsx';

type Props = {
  readonly thread: Thread | undefined;
  readonly state: ThreadState;
  readonly onInspect: () => void;
  readonly panel: Panel;
  /** Whether the beginning of the thread is not loaded. */
  readonly hasOlder: boolean;
};

/** What the thread is called, with all that can be done with it, and what it has cost. */
export function ThreadHeader({ thread, state, onInspect, panel, hasOlder }: Props) {
  return (
    <header className="@container flex h-header shrink-0 items-center gap-1 px-1 md:ps-3 md:pe-3">
      <SidebarToggle />
      {thread ? (
        <ThreadTools thread={thread} isEmpty={state.turns.length === 0} onInspect={onInspect}>
          {thread.parent_id !== undefined && <WayUp threadId={thread.parent_id} />}
          {thread.temporary && <TemporaryMark />}
          {hasReadOthers(state) && <OthersMark state={state} hasOlder={hasOlder} />}
        </ThreadTools>
      ) : (
        <h1 className="min-w-0 flex-1"> </h1>
      )}
      <IconButton
        icon="panel"
        label={t`Files (Alt .)`}
        aria-expanded={panel.shown !== undefined}
        data-opens-files
        onClick={() => (panel.shown ? panel.close() : panel.show())}
      />
      {thread && <MoreOnPhone thread={thread} isEmpty={state.turns.length === 0} onInspect={onInspect} />}
    </header>
  );
}

/** From the thread of a subagent to the one that has started it. */
const WayUp = ({ threadId }: { readonly threadId: string }) => (
  <Link
    to="/threads/$threadId"
    params={{ threadId }}
    className="inline-flex min-h-target shrink-0 items-center gap-1 rounded px-1 hover:bg-hover hover:text-ink"
  >
    <Icon name="back" />
    <span className="@max-[836px]:sr-only">
      <Trans>To the thread of the task</Trans>
    </span>
  </Link>
);

type ToolsProps = {
  readonly thread: Thread;
  /** Whether there is nothing to inspect. */
  readonly isEmpty: boolean;
  readonly onInspect: () => void;
};

/** The title with its menu, and beside it what is used often. */
function ThreadTools({ thread, isEmpty, onInspect, children }: ToolsProps & { readonly children: ReactNode }) {
  const { me } = useServices();
  const [renaming, setRenaming] = useState(false);
  const rename = () => setRenaming(true);
  const { entries, share, dialogs } = useThreadMenu(thread, { onRename: rename, onInspect });
  const change = useChangeThread(thread.id);
  useRenameKey(rename);
  const { input_tokens: read, output_tokens: written, cost_usd: usd } = thread.usage;
  const isKnown = usd !== null && read + written > 0; // of the first turn, when it has ended
  const cost = me.model.demo ? t`free` : isKnown && <Cost usd={usd} />;
  return (
    <>
      {thread.project_id !== null && <ProjectLink id={thread.project_id} />}
      <h1 className="min-w-0 flex-1 text-interface font-semibold">
        {renaming ? (
          <NameInput
            label={t`Title of the thread`}
            name={thread.title}
            maxLength={300}
            onKeep={(title) => change.mutate({ title })}
            onDone={() => setRenaming(false)}
          />
        ) : (
          <Menu
            align="start"
            trigger={
              <button
                type="button"
                title={thread.title}
                className="inline-flex min-h-target max-w-full items-center gap-1 rounded px-2 hover:bg-hover data-popup-open:bg-hover"
              >
                <span className="min-w-0 truncate">{titleOf(thread)}</span>
                <Icon name="down" className="text-soft" />
              </button>
            }
            entries={entries}
          />
        )}
      </h1>
      <div className="flex shrink-0 items-center gap-1 text-meta text-soft">
        {children}
        {cost && (
          <span className="px-2 tabular-nums @max-[520px]:hidden" title={t`What the thread has cost so far`}>
            {cost}
          </span>
        )}
        {share && (
          <Button look="quiet" icon="export" className="@max-[520px]:hidden" onClick={share}>
            <Trans>Share</Trans>
          </Button>
        )}
        <IconButton
          icon="inspect"
          label={t`Inspect the newest turn`}
          className="@max-[520px]:hidden"
          disabled={isEmpty}
          onClick={onInspect}
        />
      </div>
      {dialogs}
    </>
  );
}

/** The project of the thread, before its title. */
function ProjectLink({ id }: { readonly id: string }) {
  const { projects } = useProjects();
  const project = projects.find((each) => each.id === id);
  if (!project) return null;
  return (
    <span className="flex min-w-0 max-w-[40%] items-center gap-1 text-soft @max-[520px]:hidden">
      <Link
        to="/projects/$projectId"
        params={{ projectId: id }}
        title={project.name}
        className="inline-flex min-h-target min-w-0 items-center rounded px-2 hover:bg-hover hover:text-ink"
      >
        <span className="min-w-0 truncate">{project.name}</span>
      </Link>
      <span aria-hidden="true">/</span>
    </span>
  );
}

/** On a phone the rest is behind one button. */
function MoreOnPhone({ thread, isEmpty, onInspect }: ToolsProps) {
  const navigate = useNavigate();
  const { share, dialogs } = useThreadMenu(thread, { onRename: () => undefined });
  return (
    <span className="@min-[520px]:hidden">
      <Menu
        trigger={<IconButton icon="more" label={t`More`} />}
        entries={[
          { words: t`New thread`, icon: 'add', onChoose: () => void navigate({ to: '/' }) },
          ...(share ? [{ words: t`Share`, icon: 'export', onChoose: share } as const] : []),
          ...(isEmpty ? [] : [{ words: t`Inspector`, icon: 'inspect', onChoose: onInspect } as const]),
        ]}
      />
      {dialogs}
    </span>
  );
}

/** F2 renames the thread, also while a message is written. */
function useRenameKey(rename: () => void): void {
  const press = useEffectEvent((event: KeyboardEvent) => {
    if (event.key !== 'F2' || event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
    if (document.querySelector('[role=dialog]')) return;
    event.preventDefault();
    rename();
  });
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => press(event);
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, []);
}

/** Says why the agent asks more often. The way out is a thread with what was said before. */
function OthersMark({ state, hasOlder }: { readonly state: ThreadState; readonly hasOlder: boolean }) {
  const { startClean } = useActions();
  const first = hasOlder ? undefined : firstAfterClean(state); // text by others may be further up
  const isStart = first !== undefined && first === state.turns[0]?.entries[0]?.id;
  const words = (
    <>
      <Icon name="users" />
      <span className="@max-[836px]:sr-only">
        <Trans>has read text by others</Trans>
      </span>
    </>
  );
  const title = t`This conversation has read text by others, so the agent asks more often. Begin a new thread for something else.`;
  const look = 'flex min-h-target shrink-0 items-center gap-1 rounded px-1';
  if (first === undefined || isStart)
    return (
      <span className={look} title={title}>
        {words}
      </span>
    );
  return (
    <Menu
      trigger={
        <button type="button" className={`${look} hover:bg-hover hover:text-ink`} title={title}>
          {words}
        </button>
      }
      entries={[{ words: t`Start a clean thread from here`, icon: 'add', onChoose: () => startClean(first) }]}
    />
  );
}
