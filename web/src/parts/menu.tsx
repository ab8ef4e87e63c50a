import { Menu as BaseMenu } from '@base-ui/react/menu';
import type { ReactElement } from 'react';
import { Icon, type IconName } from './icon.tsx';

export type MenuEntry = {
  readonly words: string;
  readonly icon: IconName;
  readonly onChoose: () => void;
  readonly danger?: boolean;
  readonly chosen?: boolean;
};

/** A button with a list of things to do. */
export function Menu({ trigger, entries }: { readonly trigger: ReactElement; readonly entries: readonly MenuEntry[] }) {
  return (
    <BaseMenu.Root modal={false}>
      <BaseMenu.Trigger render={trigger} />
      <BaseMenu.Portal>
        <BaseMenu.Positioner sideOffset={4} align="end" className="z-30 outline-none">
          <BaseMenu.Popup className="min-w-44 rounded border border-line bg-raised p-1 shadow-float outline-none">
            {entries.map((entry) => (
              <BaseMenu.Item
                key={entry.words}
                onClick={entry.onChoose}
                className={`flex min-h-8 cursor-pointer items-center gap-3 rounded px-2 text-m outline-none data-highlighted:bg-hover ${entry.danger ? 'text-failed' : ''}`}
              >
                <Icon name={entry.icon} />
                <span className="flex-1">{entry.words}</span>
                {entry.chosen && <Icon name="check" />}
              </BaseMenu.Item>
            ))}
          </BaseMenu.Popup>
        </BaseMenu.Positioner>
      </BaseMenu.Portal>
    </BaseMenu.Root>
  );
}
