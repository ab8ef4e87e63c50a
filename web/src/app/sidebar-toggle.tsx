import { t } from '@lingui/core/macro';
import { useLocation } from '@tanstack/react-router';
import { createContext, use, useCallback, useEffect, useState, useSyncExternalStore } from 'react';
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

const narrow = matchMedia('(800px <= width < 1100px)');

function useNarrow(): boolean {
  return useSyncExternalStore(
    (onChange) => {
      narrow.addEventListener('change', onChange);
      return () => narrow.removeEventListener('change', onChange);
    },
    () => narrow.matches,
  );
}

/** Whether the address is one of the settings, whose index is in the sidebar. */
export const isOfSettings = (pathname: string): boolean => /^\/settings(\/|$)/.test(pathname);

/** Whether the sidebar is shown: as the person chose in this browser, else where it leaves enough room for the page. */
export function useSidebar(): Pick<SidebarState, 'open' | 'setOpen' | 'hidden' | 'toggle'> {
  const [open, setOpen] = useState(false);
  const [chosen, setChosen] = useState(() => localStorage.getItem(KEY));
  const isNarrow = useNarrow();
  const isInSettings = useLocation({ select: ({ pathname }) => isOfSettings(pathname) });
  const hidden = chosen === null ? isNarrow && !isInSettings : chosen === 'hidden';
  const toggle = useCallback(() => {
    if (matchMedia('(width < 800px)').matches) return setOpen((isOpen) => !isOpen);
    if (document.activeElement?.closest('nav')) document.getElementById('page')?.focus(); // it is about to disappear
    const choice = hidden ? 'shown' : 'hidden';
    localStorage.setItem(KEY, choice);
    setChosen(choice);
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
