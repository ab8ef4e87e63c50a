import type { Thread } from '@reborn-agent/client/api';
import { formatCost } from '@reborn-agent/client/format';
import type { ThreadState } from '@reborn-agent/client/thread-state';
import { useServices } from '../app/services.ts';
import { SidebarToggle } from '../app/sidebar-toggle.tsx';
import { IconButton } from '../parts/button.tsx';
import { titleOf } from '../threads/thread-row.tsx';

/** What the thread is called, who answers in it, and what it has cost. */
export function ThreadHeader({
  thread,
  state,
  onInspect,
}: {
  readonly thread: Thread | undefined;
  readonly state: ThreadState;
  readonly onInspect: () => void;
}) {
  const { me } = useServices();
  return (
    <header className="flex h-12 shrink-0 items-center gap-3 border-b border-line px-2 md:pl-6 md:pr-3">
      <SidebarToggle />
      <h1 className="min-w-0 flex-1 truncate text-m font-semibold" title={thread?.title}>
        {thread ? titleOf(thread) : ' '}
      </h1>
      <span className="shrink-0 text-s text-soft max-sm:hidden">{me.model.name}</span>
      {thread && (
        <span className="shrink-0 text-s tabular-nums text-soft" title="What the thread has cost so far">
          {me.model.demo ? 'free' : formatCost(thread.usage.cost_usd)}
        </span>
      )}
      <IconButton
        icon="inspect"
        label="Inspect the newest turn"
        disabled={state.turns.length === 0}
        onClick={onInspect}
      />
    </header>
  );
}
