import { t } from '@lingui/core/macro';
import type { Connection } from '@reborn-agent/client/socket';
import { Suspense, useEffect, useState } from 'react';
import { lazyPart } from '../parts/lazy-part.ts';
import { useConnection } from './services.ts';

const loadOfflineBar = () => import('./offline-bar.tsx').then((module) => module.OfflineBar);
const OfflineBar = lazyPart(loadOfflineBar);

/** Tells the truth about the connection. */
export function ConnectionDot() {
  const connection = useConnection();
  const seconds = useSecondsUntil(connection.state === 'reconnecting' ? connection.at : undefined);
  return (
    <span role="status" className="inline-flex items-center gap-2 text-meta text-soft">
      <span className={`dot ${COLOURS[connection.state]}`} />
      {wordsOf(connection, seconds)}
    </span>
  );
}

/** A lost connection shows above the page. On a phone, so does one that comes back: the dot is in a sidebar that is mostly closed. */
export function ConnectionBar() {
  const { state } = useConnection();
  // Without a connection it could not be loaded any more.
  useEffect(() => void requestIdleCallback(() => void loadOfflineBar()), []);
  if (state === 'live' || state === 'connecting') return null;
  if (state === 'offline')
    return (
      <Suspense>
        <OfflineBar />
      </Suspense>
    );
  return (
    <div className="flex shrink-0 justify-center border-b border-line bg-sunken py-1 md:hidden">
      <ConnectionDot />
    </div>
  );
}

const COLOURS: Record<Connection['state'], string> = {
  live: 'bg-done',
  connecting: 'bg-waiting',
  reconnecting: 'bg-waiting',
  offline: 'bg-failed',
};

function wordsOf({ state }: Connection, seconds: number): string {
  if (state === 'live') return t`Live`;
  if (state === 'offline') return t`Offline; drafts are kept`;
  if (state === 'connecting') return t`Connecting`;
  return seconds > 0 ? t`Reconnecting in ${seconds} s` : t`Reconnecting`;
}

function useSecondsUntil(at: number | undefined): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    if (at === undefined) return;
    setNow(Date.now());
    const timer = setInterval(() => setNow(Date.now()), 500);
    return () => clearInterval(timer);
  }, [at]);
  return at === undefined ? 0 : Math.max(0, Math.ceil((at - now) / 1000));
}
