import { Dialog } from '@base-ui/react/dialog';
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { useEffect, useEffectEvent, useId, useLayoutEffect, useRef, useState } from 'react';
import { Icon } from '../parts/icon.tsx';
import { takeTypedAhead } from './typed-ahead.ts';
import { type Found, type FoundGroup, useFound } from './use-found.tsx';

/** One field for pages, commands, threads, projects, assistants, messages and files, in groups. */
export function CommandPalette({ onClose }: { readonly onClose: () => void }) {
  const [text, setText] = useState('');
  const [isEntered, setEntered] = useState(false);
  const [at, setAt] = useState(0);
  const list = useId();
  const input = useRef<HTMLInputElement>(null);
  const { groups, isSearching } = useFound(text.trim());
  const all = groups.flatMap(({ found }) => found);
  const chosen = Math.min(at, all.length - 1);
  const run = (found: Found | undefined) => {
    if (!found) return;
    found.run();
    onClose();
  };
  useLayoutEffect(() => {
    const ahead = takeTypedAhead();
    setText(ahead.text);
    setEntered(ahead.isEntered);
  }, []);
  const enter = useEffectEvent(() => run(all[chosen]));
  useEffect(() => {
    if (isEntered) enter();
  }, [isEntered]);
  const onKeyDown = (event: React.KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step) {
      event.preventDefault();
      setAt((chosen + step + all.length) % Math.max(1, all.length));
    }
    if (event.key === 'Enter') run(all[chosen]);
  };
  const idOf = (found: Found | undefined) => (found ? `${list}-${all.indexOf(found)}` : undefined);
  return (
    <Dialog.Root open onOpenChange={(open) => !open && onClose()}>
      <Dialog.Portal>
        <Dialog.Backdrop className="fixed inset-0 z-30 bg-scrim" />
        <Dialog.Popup
          aria-label={t`Search`}
          initialFocus={input}
          className="fixed left-1/2 top-[12vh] z-40 flex max-h-[70vh] w-[min(600px,calc(100vw-32px))] -translate-x-1/2 flex-col overflow-hidden rounded-xl bg-raised shadow-float outline-none"
        >
          <input
            ref={(field) => {
              input.current = field;
              // At once: what is typed right after Ctrl K belongs here.
              field?.focus();
            }}
            role="combobox"
            aria-label={t`Search`}
            aria-expanded="true"
            aria-controls={list}
            aria-activedescendant={idOf(all[chosen])}
            placeholder={t`Threads, projects, assistants, messages, files, pages and commands`}
            className="min-h-12 border-b border-line bg-transparent px-4 text-reading outline-none"
            value={text}
            onChange={(event) => {
              setText(event.target.value);
              setAt(0);
            }}
            onKeyDown={onKeyDown}
          />
          <div id={list} role="listbox" aria-label={t`Found`} className="min-h-0 flex-1 overflow-y-auto p-2">
            {groups.map((group) => (
              <Group
                key={group.name}
                group={group}
                chosen={all[chosen]}
                idOf={idOf}
                onRun={run}
                onPoint={(found) => setAt(all.indexOf(found))}
              />
            ))}
            {all.length === 0 && !isSearching && (
              <p role="status" className="p-2 text-soft">
                <Trans>Nothing found for “{text.trim()}”.</Trans>
              </p>
            )}
          </div>
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

type GroupProps = {
  readonly group: FoundGroup;
  readonly chosen: Found | undefined;
  readonly idOf: (found: Found) => string | undefined;
  readonly onRun: (found: Found) => void;
  readonly onPoint: (found: Found) => void;
};

function Group({ group, chosen, idOf, onRun, onPoint }: GroupProps) {
  if (group.found.length === 0) return null;
  return (
    <div role="group" aria-label={group.name} className="pb-1">
      <p aria-hidden="true" className="flex min-h-7 items-center px-2 text-label text-soft">
        {group.name}
      </p>
      {group.found.map((found) => (
        <div
          key={found.id}
          id={idOf(found)}
          role="option"
          aria-selected={found === chosen}
          ref={(row) => {
            if (found === chosen) row?.scrollIntoView({ block: 'nearest' });
          }}
          onClick={() => onRun(found)}
          onPointerMove={() => onPoint(found)}
          className={`flex min-h-target cursor-pointer items-center gap-3 rounded px-2 py-1 ${found === chosen ? 'bg-hover' : ''}`}
        >
          <Icon name={found.icon} className="text-soft" />
          <span className="min-w-0 flex-1">
            <span className="block truncate">{found.words}</span>
            {found.about && <span className="line-clamp-2 break-words text-meta text-soft">{found.about}</span>}
          </span>
          {found.beside && <span className="shrink-0 text-meta text-soft">{found.beside}</span>}
        </div>
      ))}
    </div>
  );
}
