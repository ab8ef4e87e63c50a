import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import type { Thread } from '@reborn-agent/client/api';
import { hasReadOthers, type ThreadState } from '@reborn-agent/client/thread-state';
import { NewThreadLink } from '../app/new-thread-link.tsx';
import { useServices } from '../app/services.ts';
import { SidebarToggle } from '../app/sidebar-toggle.tsx';
import { ModelPicker } from '../models/model-picker.tsx';
import { IconButton } from '../parts/button.tsx';
import { Cost } from '../parts/cost.tsx';
import { Icon } from '../parts/icon.tsx';
import { titleOf } from '../threads/thread-row.tsx';

/** What the thread is called, who answers in it, and what it has cost. */
export function ThreadHeader({
  thread,
  state,
  model,
  onModel,
  onInspect,
}: {
  readonly thread: Thread | undefined;
  readonly state: ThreadState;
  readonly model: string | null;
  readonly onModel: (id: string) => void;
  readonly onInspect: () => void;
}) {
  const { me } = useServices();
  return (
    <header className="flex h-12 shrink-0 items-center gap-3 border-b border-line px-2 md:ps-6 md:pe-3">
      <SidebarToggle />
      <div className="flex min-w-0 flex-1 items-center gap-3 max-sm:flex-col max-sm:items-start max-sm:gap-0">
        <h1 className="min-w-0 max-w-full flex-1 truncate text-m font-semibold" title={thread?.title}>
          {thread ? titleOf(thread) : ' '}
        </h1>
        <div className="flex min-w-0 max-w-full shrink-0 items-center gap-3 text-s text-soft">
          <ModelPicker chosen={model} onChoose={onModel} />
          {hasReadOthers(state) && (
            <span
              className="flex shrink-0 items-center gap-1"
              title={t`This conversation has read text by others, so the agent asks more often. Begin a new thread for something else.`}
            >
              <Icon name="users" />
              <span className="max-lg:sr-only">
                <Trans>has read text by others</Trans>
              </span>
            </span>
          )}
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
      <NewThreadLink className="md:hidden" />
    </header>
  );
}
