import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import type { Thread } from '@reborn-agent/client/api';
import { firstAfterClean, hasReadOthers, type ThreadState } from '@reborn-agent/client/thread-state';
import { NewThreadLink } from '../app/new-thread-link.tsx';
import { useServices } from '../app/services.ts';
import { SidebarToggle } from '../app/sidebar-toggle.tsx';
import type { Panel } from '../files/use-panel.ts';
import { ModelPicker } from '../models/model-picker.tsx';
import { IconButton } from '../parts/button.tsx';
import { Cost } from '../parts/cost.tsx';
import { Icon } from '../parts/icon.tsx';
import { Menu } from '../parts/menu.tsx';
import { titleOf } from '../threads/thread-row.tsx';
import { useActions } from './chat-actions.ts';
import { TemporaryMark } from './temporary.tsx';

/** What the thread is called, who answers in it, and what it has cost. */
export function ThreadHeader({
  thread,
  state,
  model,
  onModel,
  onInspect,
  panel,
  hasOlder,
}: {
  readonly thread: Thread | undefined;
  readonly state: ThreadState;
  readonly model: string | null;
  readonly onModel: (id: string) => void;
  readonly onInspect: () => void;
  readonly panel: Panel;
  /** Whether the beginning of the thread is not loaded. */
  readonly hasOlder: boolean;
}) {
  const { me } = useServices();
  return (
    <header className="flex h-header shrink-0 items-center gap-3 px-1 md:ps-5 md:pe-3">
      <SidebarToggle />
      <div className="flex min-w-0 flex-1 items-center gap-3 max-sm:flex-col max-sm:items-start max-sm:gap-0">
        <h1 className="min-w-0 max-w-full flex-1 truncate text-interface font-semibold" title={thread?.title}>
          {thread ? titleOf(thread) : ' '}
        </h1>
        <div className="flex min-w-0 max-w-full shrink-0 items-center gap-3 text-meta text-soft">
          <ModelPicker chosen={model} onChoose={onModel} className="max-sm:-ms-1 max-sm:min-h-6" />
          {thread?.temporary && <TemporaryMark />}
          {hasReadOthers(state) && <OthersMark state={state} hasOlder={hasOlder} />}
          {thread && (
            <span className="shrink-0 tabular-nums" title={t`What the thread has cost so far`}>
              {me.model.demo ? t`free` : <Cost usd={thread.usage.cost_usd} />}
            </span>
          )}
        </div>
      </div>
      <IconButton
        icon="inspect"
        label={t`Inspect the newest turn`}
        disabled={state.turns.length === 0}
        onClick={onInspect}
      />
      <IconButton
        icon="panel"
        label={t`Files (Alt .)`}
        aria-expanded={panel.shown !== undefined}
        data-opens-files
        onClick={() => (panel.shown ? panel.close() : panel.show())}
      />
      <NewThreadLink className="md:hidden" />
    </header>
  );
}

/** Says why the agent asks more often. The way out is a thread with what was said before. */
function OthersMark({ state, hasOlder }: { readonly state: ThreadState; readonly hasOlder: boolean }) {
  const { startClean } = useActions();
  const first = hasOlder ? undefined : firstAfterClean(state); // text by others may be further up
  const isStart = first !== undefined && first === state.turns[0]?.entries[0]?.id;
  const words = (
    <>
      <Icon name="users" />
      <span className="max-lg:sr-only">
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
