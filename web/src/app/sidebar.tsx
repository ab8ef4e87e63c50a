import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Link } from '@tanstack/react-router';
import { use, useEffect, useRef } from 'react';
import { IconButton } from '../parts/button.tsx';
import { Icon } from '../parts/icon.tsx';
import { ThreadList } from '../threads/thread-list.tsx';
import { AccountMenu } from './account-menu.tsx';
import { ConnectionDot } from './connection-dot.tsx';
import { NewThreadLink } from './new-thread-link.tsx';
import { operatorPlaces, type Place, places } from './places.ts';
import { useServices } from './services.ts';
import { SidebarContext } from './sidebar-toggle.tsx';

/** Threads, and the way to every page. */
export function Sidebar() {
  const { open, setOpen, hidden } = use(SidebarContext);
  const ref = useRef<HTMLElement>(null);
  useEffect(() => {
    if (open) ref.current?.querySelector<HTMLElement>('input, a, button')?.focus();
  }, [open]);
  return (
    <>
      {open && (
        <div className="fixed inset-0 z-10 bg-scrim md:hidden" onClick={() => setOpen(false)} aria-hidden="true" />
      )}
      <nav
        ref={ref}
        aria-label={t`Threads and pages`}
        onKeyDown={(event) => event.key === 'Escape' && setOpen(false)}
        data-closed={open ? undefined : ''}
        className={`drawer z-20 flex ${hidden ? 'md:hidden' : ''} md:w-sidebar h-full shrink-0 flex-col border-e border-line bg-sunken group-has-[[data-files=whole]]/frame:invisible md:max-[1280px]:group-has-[[data-files]]/frame:hidden`}
      >
        <Top />
        <ThreadList />
        <Places />
        <div className="flex items-center justify-between border-t border-line py-2 ps-4 pe-2">
          <ConnectionDot />
          <AccountMenu />
        </div>
      </nav>
    </>
  );
}

function Top() {
  const { toggle, openPalette } = use(SidebarContext);
  return (
    <div className="flex h-header shrink-0 items-center gap-1 ps-4 pe-2">
      <Link to="/" className="me-auto font-semibold">
        Reborn
      </Link>
      <IconButton icon="search" label={t`Commands (Ctrl K)`} onClick={openPalette} />
      <NewThreadLink />
      <IconButton icon="close" label={t`Hide threads and pages (Ctrl B)`} onClick={toggle} />
    </div>
  );
}

function Places() {
  const { me } = useServices();
  return (
    <div className="shrink-0 border-t border-line p-2">
      <PlaceList shown={places()} />
      {me.role === 'operator' && (
        <details className="group" open={location.pathname.startsWith('/operator')}>
          <summary className="flex min-h-target items-center gap-3 rounded px-2 text-soft hover:bg-hover hover:text-ink">
            <Icon name="right" className="transition-transform group-open:rotate-90" />
            <Trans>Operator</Trans>
          </summary>
          <div className="ps-4">
            <PlaceList shown={operatorPlaces()} />
          </div>
        </details>
      )}
    </div>
  );
}

function PlaceList({ shown }: { readonly shown: readonly Place[] }) {
  return (
    <ul>
      {shown.map((place) => (
        <li key={place.to}>
          <Link
            to={place.to}
            className="flex min-h-target items-center gap-3 rounded px-2 hover:bg-hover hover:text-ink"
            activeProps={{ className: 'bg-hover font-medium' }}
            inactiveProps={{ className: 'text-soft' }}
          >
            <Icon name={place.icon} />
            {place.words}
          </Link>
        </li>
      ))}
    </ul>
  );
}
