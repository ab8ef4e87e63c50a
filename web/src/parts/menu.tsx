import { Menu as BaseMenu } from '@base-ui/react/menu';
import { type ReactElement, useState } from 'react';
import { Icon, type IconName } from './icon.tsx';

export type MenuEntry = {
  readonly words: string;
  readonly icon: IconName;
  readonly onChoose: () => void;
  readonly danger?: boolean;
  readonly chosen?: boolean;
  /** What can be pressed instead. */
  readonly keys?: string;
};

/** A button with a list of things to do. */
export function Menu({
  trigger,
  entries,
  align = 'end',
}: {
  readonly trigger: ReactElement;
  readonly entries: readonly MenuEntry[];
  readonly align?: 'start' | 'end';
}) {
  // It opens inside the landmark of its button, so that nothing on the page stands outside of one.
  const [landmark, setLandmark] = useState<HTMLElement | null>(null);
  return (
    <BaseMenu.Root>
      <BaseMenu.Trigger
        ref={(button: HTMLElement | null) => setLandmark(button?.closest<HTMLElement>('nav, main, aside') ?? null)}
        render={trigger}
      />
      <BaseMenu.Portal container={landmark}>
        <BaseMenu.Positioner positionMethod="fixed" sideOffset={4} align={align} className="z-30 outline-none">
          <BaseMenu.Popup className="max-h-(--available-height) max-w-(--available-width) min-w-44 overflow-y-auto popup pops p-1">
            {entries.map((entry) => (
              <BaseMenu.Item
                key={entry.words}
                onClick={entry.onChoose}
                className={`flex min-h-target cursor-pointer items-center gap-3 rounded px-2 text-interface outline-none data-highlighted:bg-hover ${entry.danger ? 'text-failed' : ''}`}
              >
                <Icon name={entry.icon} />
                <span className="min-w-0 flex-1 break-words">{entry.words}</span>
                {entry.keys !== undefined && (
                  <kbd aria-hidden="true" className="font-sans text-key text-soft touch:hidden">
                    {entry.keys}
                  </kbd>
                )}
                {entry.chosen && <Icon name="check" />}
              </BaseMenu.Item>
            ))}
          </BaseMenu.Popup>
        </BaseMenu.Positioner>
      </BaseMenu.Portal>
    </BaseMenu.Root>
  );
}
