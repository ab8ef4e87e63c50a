import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Link, useLocation } from '@tanstack/react-router';
import { use, useEffect, useRef, useState } from 'react';
import { useNewResults } from '../missions/use-results.ts';
import { Badge } from '../parts/badge.tsx';
import { IconButton } from '../parts/button.tsx';
import { Icon } from '../parts/icon.tsx';
import { ThreadList } from '../threads/thread-list.tsx';
import { useMarkedWords } from '../threads/use-marked-words.ts';
import { AccountMenu } from './account-menu.tsx';
import { useKeepFocus } from './keep-focus.ts';
import { PlaceList } from './place-list.tsx';
import { places } from './places.ts';
import { LeaveSettings, SettingsIndex } from './settings-index.tsx';
import { isOfSettings, SidebarContext } from './sidebar-toggle.tsx';
import { useTypedAhead } from './typed-ahead.ts';

/** The way to every page, and the threads; in the settings, their index. */
export function Sidebar() {
  const { open, setOpen, hidden } = use(SidebarContext);
  const { isInSettings, before } = useSettings();
  const ref = useRef<HTMLElement>(null);
  useKeepFocus();
  useMarkedWords();
  useTypedAhead();
  useEffect(() => {
    if (open) ref.current?.querySelector<HTMLElement>('a, button')?.focus();
  }, [open]);
  return (
    <>
      {open && (
        <div className="fixed inset-0 z-10 bg-scrim md:hidden" onClick={() => setOpen(false)} aria-hidden="true" />
      )}
      <nav
        ref={ref}
        aria-label={isInSettings ? t`Settings` : t`Threads and pages`}
        onKeyDown={(event) => event.key === 'Escape' && setOpen(false)}
        data-closed={open ? undefined : ''}
        className={`drawer z-20 flex ${hidden ? 'md:hidden' : ''} md:w-sidebar h-full shrink-0 flex-col border-e border-line bg-sunken group-has-[[data-files=whole]]/frame:invisible md:max-[1280px]:group-has-[[data-files]]/frame:hidden`}
      >
        <div className="flex h-header shrink-0 items-center gap-1 ps-4 pe-2">
          {isInSettings ? (
            <div className="-ms-2 me-auto">
              <LeaveSettings to={before} />
            </div>
          ) : (
            <Link to="/" className="me-auto font-semibold">
              Reborn
            </Link>
          )}
          <Close />
        </div>
        {isInSettings ? (
          <SettingsIndex />
        ) : (
          <>
            <Places />
            <ThreadList />
          </>
        )}
        <AccountMenu />
      </nav>
    </>
  );
}

function Close() {
  const { toggle } = use(SidebarContext);
  return <IconButton icon="close" label={t`Hide threads and pages (Ctrl B)`} onClick={toggle} />;
}

function Places() {
  const { openPalette } = use(SidebarContext);
  return (
    <div className="shrink-0 px-2 pb-1">
      <Link
        to="/"
        className="mb-1 flex min-h-target items-center gap-3 rounded border border-rule bg-raised px-2 font-medium shadow-rest hover:bg-hover"
      >
        <Icon name="add" />
        <Trans>New thread</Trans>
      </Link>
      <button
        type="button"
        onClick={openPalette}
        className="flex min-h-target w-full items-center gap-3 rounded px-2 text-start text-soft hover:bg-hover hover:text-ink"
      >
        <Icon name="search" />
        <span className="flex-1">
          <Trans>Search</Trans>
        </span>
        <kbd className="font-sans text-key">{t`Ctrl K`}</kbd>
      </button>
      <PlaceList shown={places()} markOf={({ to }) => to === '/missions' && <NewResults />} />
    </div>
  );
}

function NewResults() {
  const { data } = useNewResults();
  const count = data?.unread ?? 0;
  return count > 0 && <Badge words={t`${count} new`} />;
}

/** Whether a page of the settings is shown, and which page was shown before them. */
function useSettings(): { readonly isInSettings: boolean; readonly before: string } {
  const { pathname } = useLocation();
  const isInSettings = isOfSettings(pathname);
  const [before, setBefore] = useState('/');
  if (!isInSettings && before !== pathname) setBefore(pathname);
  return { isInSettings, before };
}
