import { t } from '@lingui/core/macro';
import { createContext, use } from 'react';
import { IconButton } from '../parts/button.tsx';

/** On a phone the sidebar lies over the page, and is opened from its top. */
export type SidebarState = {
  readonly open: boolean;
  readonly setOpen: (open: boolean) => void;
  readonly openPalette: () => void;
  readonly openShortcuts: () => void;
};

export const SidebarContext = createContext<SidebarState>({
  open: false,
  setOpen: () => {},
  openPalette: () => {},
  openShortcuts: () => {},
});

export function SidebarToggle() {
  const { setOpen } = use(SidebarContext);
  return (
    <IconButton icon="menu" label={t`Show threads and pages`} className="md:hidden" onClick={() => setOpen(true)} />
  );
}
