import { Trans } from '@lingui/react/macro';
import type { Me } from '@reborn-agent/client/api';
import { openSocket, type Socket } from '@reborn-agent/client/socket';
import { useQueryClient } from '@tanstack/react-query';
import { Outlet, useLocation } from '@tanstack/react-router';
import { Suspense, useEffect, useState } from 'react';
import { focusComposer } from '../chat/composer/focus-composer.ts';
import { useNoFileNavigation } from '../chat/composer/use-dropped-files.ts';
import { locate } from '../client/client.ts';
import { lazyPart } from '../parts/lazy-part.ts';
import { NoticeLine } from '../parts/notice.tsx';
import { useWaitingInTitle } from '../parts/use-title.ts';
import { ConnectionBar } from './connection-dot.tsx';
import { loadFailedPage } from './late-pages.tsx';
import { areLettersKeys } from './letter-keys.ts';
import { NewVersionBar } from './new-version.tsx';
import { ServicesContext } from './services.ts';
import { Sidebar } from './sidebar.tsx';
import { SidebarContext, useSidebar } from './sidebar-toggle.tsx';
import { useFrameKeys } from './use-frame-keys.ts';
import { useLimitRequests } from './use-limit-requests.ts';
import { useNews } from './use-news.ts';
import { useWaiting } from './use-waiting.ts';

const loadPalette = () => import('./command-palette.tsx').then((module) => module.CommandPalette);
const CommandPalette = lazyPart(loadPalette);
const endForeign = () =>
  import('../notifications/push.ts')
    .then(({ endForeignSubscription }) => endForeignSubscription())
    .catch(() => undefined);
const ShortcutsDialog = lazyPart(() => import('../settings/shortcuts.tsx').then((module) => module.ShortcutsDialog));

/** The frame of every page: threads and places on the left, the page beside it. */
export function Shell({ me }: { readonly me: Me }) {
  const socket = useSocket();
  if (!socket) return null;
  return (
    <ServicesContext value={{ me, socket }}>
      <Frame />
    </ServicesContext>
  );
}

function Frame() {
  const { pathname, hash } = useLocation();
  const sidebar = useSidebar();
  const { setOpen: setSidebarOpen } = sidebar;
  const [palette, setPalette] = useState(false);
  const [shortcuts, setShortcuts] = useState(false);
  useNews(useQueryClient());
  useWaitingInTitle((useWaiting()?.length ?? 0) + useLimitRequests().length);
  useNoFileNavigation();
  useFrameKeys(() => setShortcuts(true));
  // Another user of this browser may have turned notifications on.
  useEffect(() => void requestIdleCallback(() => void endForeign()), []);
  useEffect(() => setSidebarOpen(false), [pathname, hash, setSidebarOpen]);
  // What is typed right after Ctrl K must find it there.
  useEffect(() => void requestIdleCallback(() => void loadPalette()), []);
  useEffect(() => void requestIdleCallback(() => void loadFailedPage()), []);
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key === '?' && areLettersKeys() && !isTyping(event.target)) setShortcuts(true);
      if (!(event.ctrlKey || event.metaKey) || event.key.toLowerCase() !== 'k') return;
      event.preventDefault();
      setPalette((open) => !open);
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, []);

  return (
    <SidebarContext
      value={{
        ...sidebar,
        openPalette: () => setPalette(true),
        openShortcuts: () => setShortcuts(true),
      }}
    >
      <a href="#page" className={SKIP}>
        <Trans>Skip to the page</Trans>
      </a>
      {hasComposer(pathname) && (
        <a
          href="#message"
          className={SKIP}
          onClick={(event) => {
            event.preventDefault(); // a hash of a thread is a message in it
            focusComposer();
          }}
        >
          <Trans>Skip to the message</Trans>
        </a>
      )}
      <div className="group/frame flex h-full">
        <Sidebar />
        <div id="page" tabIndex={-1} className="flex h-full min-w-0 flex-1 flex-col outline-none">
          <NewVersionBar />
          <ConnectionBar />
          <Outlet />
        </div>
        <NoticeLine />
      </div>
      {palette && (
        <Suspense>
          <CommandPalette onClose={() => setPalette(false)} />
        </Suspense>
      )}
      {shortcuts && (
        <Suspense>
          <ShortcutsDialog onClose={() => setShortcuts(false)} />
        </Suspense>
      )}
    </SidebarContext>
  );
}

const SKIP =
  'absolute start-2 top-2 z-30 -translate-y-20 rounded bg-raised px-3 py-2 focus:translate-y-0 focus:shadow-float';

const hasComposer = (pathname: string) => pathname === '/' || /^\/(threads|projects)\//.test(pathname);

/** A question mark in a text is not a command. */
const isTyping = (target: EventTarget | null) =>
  target instanceof HTMLElement && target.closest('input, textarea, select, [contenteditable]') !== null;

/** One connection while a user is signed in. */
function useSocket(): Socket | undefined {
  const [socket, setSocket] = useState<Socket>();
  useEffect(() => {
    const opened = openSocket(locate, { isOnline: () => navigator.onLine });
    const onOnline = () => opened.retryNow();
    const onOffline = () => opened.lost();
    addEventListener('online', onOnline);
    addEventListener('offline', onOffline);
    addEventListener('focus', onOnline);
    setSocket(opened);
    return () => {
      removeEventListener('online', onOnline);
      removeEventListener('offline', onOffline);
      removeEventListener('focus', onOnline);
      opened.close();
    };
  }, []);
  return socket;
}
