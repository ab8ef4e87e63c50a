import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { Button } from '../parts/button.tsx';
import { TextField } from '../parts/field.tsx';
import { Icon } from '../parts/icon.tsx';
import { useTitle } from '../parts/use-title.ts';

/** The service takes the token by an ordinary form, and answers with a cookie. */
export function SignInPage() {
  useTitle('Sign in');
  const isRefused = useRefusal();
  const { data: hasSingleSignOn } = useQuery({
    queryKey: ['single-sign-on'],
    queryFn: offersSingleSignOn,
    staleTime: Infinity,
  });
  return (
    <main className="flex h-full items-center justify-center overflow-y-auto p-4">
      <div className="flex w-full max-w-[360px] flex-col gap-6">
        <header>
          <h1 className="text-2xl font-semibold">Reborn</h1>
          <p className="text-soft">Sign in to go on.</p>
        </header>
        {hasSingleSignOn && (
          <a
            href="/login/oidc"
            className="flex min-h-10 items-center justify-center rounded bg-ember px-3 font-medium text-on-ember hover:brightness-110"
          >
            Sign in with single sign-on
          </a>
        )}
        {isRefused && (
          <p role="alert" className="flex items-start gap-3 rounded border border-failed bg-failed-wash p-3">
            <Icon name="warning" className="mt-1 text-failed" />
            This token is not known here, or no longer counts. Check it, or ask the operator for another.
          </p>
        )}
        <form action="/login" method="get" className="flex flex-col gap-3">
          <TextField
            label="Token"
            name="token"
            type="password"
            autoComplete="current-password"
            required
            autoFocus
            hint="The service writes a sign-in link to its log. An operator can also give you a token."
          />
          <Button type="submit" look={hasSingleSignOn ? 'plain' : 'act'} className="min-h-10">
            Sign in
          </Button>
        </form>
      </div>
    </main>
  );
}

/** The service shows this page again when it refuses a token; the token does not stay in the address. */
function useRefusal(): boolean {
  const [isRefused] = useState(
    () => location.pathname === '/login' && new URLSearchParams(location.search).has('token'),
  );
  useEffect(() => {
    if (isRefused) history.replaceState(history.state, '', '/login');
  }, [isRefused]);
  return isRefused;
}

/** With a provider the address leads on to it; without one there is nothing. */
async function offersSingleSignOn(): Promise<boolean> {
  const answer = await fetch('/login/oidc', { redirect: 'manual' });
  return answer.type === 'opaqueredirect';
}
