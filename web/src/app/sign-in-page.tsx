import { useQuery } from '@tanstack/react-query';
import { Button } from '../parts/button.tsx';
import { TextField } from '../parts/field.tsx';
import { useTitle } from '../parts/use-title.ts';

/** The service takes the token by an ordinary form, and answers with a cookie. */
export function SignInPage() {
  useTitle('Sign in');
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
        <form action="/login" method="get" className="flex flex-col gap-3">
          <TextField
            label="Token"
            name="token"
            type="password"
            autoComplete="current-password"
            required
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

/** With a provider the address leads on to it; without one there is nothing. */
async function offersSingleSignOn(): Promise<boolean> {
  const answer = await fetch('/login/oidc', { redirect: 'manual' });
  return answer.type === 'opaqueredirect';
}
