import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { ApiError } from '@reborn-agent/client';
import { QueryClientProvider, useQuery } from '@tanstack/react-query';
import { Outlet, useLocation } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import { client } from '../client/client.ts';
import { createQueryClient } from '../client/query-client.ts';
import { Problem } from '../parts/problem.tsx';
import { Skeleton } from '../parts/skeleton.tsx';
import { Shell } from './shell.tsx';
import { SignInPage } from './sign-in-page.tsx';

export function Entrance() {
  const [queries] = useState(createQueryClient);
  return (
    <QueryClientProvider client={queries}>
      <Door />
    </QueryClientProvider>
  );
}

/** A page for paper has nothing beside it. */
const PRINTED = /^\/threads\/[^/]+\/print$/;

/** Shows the app to signed-in users, and the sign-in page to others. */
function Door() {
  const { pathname } = useLocation();
  const {
    data: me,
    error,
    fetchStatus,
    refetch,
  } = useQuery({ queryKey: ['me'], queryFn: () => client.call('GET /api/me'), staleTime: 60_000 });
  const isAway = !me && (fetchStatus === 'paused' || (error instanceof ApiError && error.status === 0));
  useReloadAfter(isAway, me !== undefined);
  if (pathname === '/login') return <Outlet />;
  if (error instanceof ApiError && error.status === 401) return <SignInPage />;
  if (me && PRINTED.test(pathname)) return <Outlet />;
  if (me) return <Shell me={me} />;
  if (!error && !isAway)
    return (
      <main className="p-8">
        <Skeleton label={t`Loading`} rows={6} />
      </main>
    );
  return (
    <main className="mx-auto max-w-[480px] p-8">
      <h1 className="mb-4 text-title">Reborn</h1>
      {isAway && !navigator.onLine ? (
        <p role="status">
          <Trans>You are offline. The app continues when the connection is back.</Trans>
        </p>
      ) : (
        <Problem error={error} onRetry={() => void refetch()} />
      )}
    </main>
  );
}

/** A page that was opened without the service lacks files that were not stored. */
function useReloadAfter(isAway: boolean, isBack: boolean): void {
  const wasAway = useRef(false);
  useEffect(() => {
    if (isAway) wasAway.current = true;
    if (isBack && wasAway.current) location.reload();
  }, [isAway, isBack]);
}
