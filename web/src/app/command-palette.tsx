import { Dialog } from '@base-ui/react/dialog';
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { useNavigate } from '@tanstack/react-router';
import { useDeferredValue, useId, useState } from 'react';
import { Icon, type IconName } from '../parts/icon.tsx';
import { chooseTheme } from '../theme/theme.ts';
import { titleOf } from '../threads/thread-row.tsx';
import { useThreads } from '../threads/use-threads.ts';
import { operatorPlaces, places } from './places.ts';
import { useServices } from './services.ts';

type Command = { readonly id: string; readonly words: string; readonly icon: IconName; readonly run: () => void };

/** Everything by name: pages, threads, and the theme. */
export function CommandPalette({ onClose }: { readonly onClose: () => void }) {
  const [text, setText] = useState('');
  const [at, setAt] = useState(0);
  const list = useId();
  const commands = useCommands(text.trim());
  const chosen = Math.min(at, commands.length - 1);
  const run = (command: Command | undefined) => {
    command?.run();
    onClose();
  };
  const onKeyDown = (event: React.KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step) {
      event.preventDefault();
      setAt((chosen + step + commands.length) % Math.max(1, commands.length));
    }
    if (event.key === 'Enter') run(commands[chosen]);
  };
  return (
    <Dialog.Root open onOpenChange={(open) => !open && onClose()}>
      <Dialog.Portal>
        <Dialog.Backdrop className="fixed inset-0 z-30 bg-scrim" />
        <Dialog.Popup
          aria-label={t`Commands`}
          className="fixed left-1/2 top-[12vh] z-40 flex max-h-[60vh] w-[min(560px,calc(100vw-32px))] -translate-x-1/2 flex-col overflow-hidden rounded-xl bg-raised shadow-float outline-none"
        >
          <input
            role="combobox"
            aria-label={t`Command or thread`}
            aria-expanded="true"
            aria-controls={list}
            aria-activedescendant={commands[chosen] && `${list}-${chosen}`}
            placeholder={t`Go to a page or a thread`}
            className="min-h-12 border-b border-line bg-transparent px-4 text-reading outline-none"
            value={text}
            onChange={(event) => {
              setText(event.target.value);
              setAt(0);
            }}
            onKeyDown={onKeyDown}
          />
          <div id={list} role="listbox" aria-label={t`Commands`} className="min-h-0 flex-1 overflow-y-auto p-2">
            {commands.map((command, index) => (
              <div
                key={command.id}
                id={`${list}-${index}`}
                role="option"
                aria-selected={index === chosen}
                ref={(row) => {
                  if (index === chosen) row?.scrollIntoView({ block: 'nearest' });
                }}
                onClick={() => run(command)}
                onPointerMove={() => setAt(index)}
                className={`flex min-h-9 cursor-pointer items-center gap-3 rounded px-2 ${index === chosen ? 'bg-hover' : ''}`}
              >
                <Icon name={command.icon} className="text-soft" />
                <span className="min-w-0 flex-1 truncate">{command.words}</span>
              </div>
            ))}
            {commands.length === 0 && (
              <p className="p-2 text-soft">
                <Trans>Nothing is called that.</Trans>
              </p>
            )}
          </div>
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

/** Pages are found as fast as one types, since Enter may come at once; threads are asked for. */
function useCommands(q: string): Command[] {
  const { me } = useServices();
  const navigate = useNavigate();
  const asked = useDeferredValue(q);
  const { data, isPlaceholderData } = useThreads({ q: asked, archived: false });
  const isStale = isPlaceholderData || asked !== q;
  const pages = me.role === 'operator' ? [...places(), ...operatorPlaces()] : places();
  const fixed: Command[] = [
    { id: 'new', words: t`New thread`, icon: 'add', run: () => void navigate({ to: '/' }) },
    ...pages.map(({ to, words, icon }) => ({ id: to, words, icon, run: () => void navigate({ to }) })),
    { id: 'settings', words: t`Settings`, icon: 'edit', run: () => void navigate({ to: '/settings' }) },
    { id: 'light', words: t`Light theme`, icon: 'sun', run: () => chooseTheme('light') },
    { id: 'dark', words: t`Dark theme`, icon: 'moon', run: () => chooseTheme('dark') },
  ];
  const found = data?.pages[0]?.threads ?? [];
  const fits = (words: string) => words.toLowerCase().includes(q.toLowerCase());
  const threads = found.filter((thread) => !isStale || fits(titleOf(thread))).slice(0, 20);
  const toThreads: Command[] = threads.map((thread) => ({
    id: thread.id,
    words: titleOf(thread),
    icon: 'chat',
    run: () => void navigate({ to: '/threads/$threadId', params: { threadId: thread.id } }),
  }));
  return [...fixed.filter(({ words }) => fits(words)), ...toThreads];
}
