import { t } from '@lingui/core/macro';
import { createContext, use, useCallback, useEffect, useState } from 'react';
import { IconButton } from '../parts/button.tsx';

/** On a phone the sidebar lies over the page, and is opened from its top. Elsewhere it is beside the page until it is hidden. */
export type SidebarState = {
  readonly open: boolean;
  readonly setOpen: (open: boolean) => void;
  readonly hidden: boolean;
  /** Shows or hides it, as the window is now. */
  readonly toggle: () => void;
  readonly openPalette: () => void;
  readonly openShortcuts: () => void;
};

export const SidebarContext = createContext<SidebarState>({
  open: false,
  setOpen: () => {},
  hidden: false,
  toggle: () => {},
  openPalette: () => {},
  openShortcuts: () => {},
});

export function SidebarToggle() {
  const { hidden, toggle } = use(SidebarContext);
  return (
    <IconButton
      icon="menu"
      label={t`Show threads and pages (Ctrl B)`}
      className={hidden ? '' : 'md:hidden'}
      onClick={toggle}
    />
  );
}

const KEY = 'sidebar';

/** Whether the sidebar is shown. The browser remembers if it is hidden beside the page. */
export function useSidebar(): Pick<SidebarState, 'open' | 'setOpen' | 'hidden' | 'toggle'> {
  const [open, setOpen] = useState(false);
  const [hidden, setHidden] = useState(() => localStorage.getItem(KEY) === 'hidden');
  const toggle = useCallback(() => {
    if (matchMedia('(width < 800px)').matches) return setOpen((isOpen) => !isOpen);
    if (document.activeElement?.closest('nav')) document.getElementById('page')?.focus(); // it is about to disappear
    setHidden((isHidden) => !isHidden);
  }, []);
  useEffect(() => {
    if (hidden) localStorage.setItem(KEY, 'hidden');
    else localStorage.removeItem(KEY);
  }, [hidden]);
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (!(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey || event.key.toLowerCase() !== 'b')
        return;
      event.preventDefault();
      toggle();
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, [toggle]);
  return { open, setOpen, hidden, toggle };
}
