import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { ApiError } from '@reborn-agent/client';
import { useMutation, useQuery } from '@tanstack/react-query';
import { Suspense, type SyntheticEvent, useEffect, useState } from 'react';
import { client } from '../client/client.ts';
import { sessionKey } from '../client/session-key.ts';
import { Button } from '../parts/button.tsx';
import { wordsOf } from '../parts/error-words.ts';
import { TextField } from '../parts/field.tsx';
import { Icon } from '../parts/icon.tsx';
import { lazyPart } from '../parts/lazy-part.ts';
import { useTitle } from '../parts/use-title.ts';

const JoinForm = lazyPart(() => import('./join-form.tsx').then((module) => module.JoinForm));

type SignIn =
  | { readonly token: string }
  | { readonly code: string }
  | { readonly invitation: string; readonly name: string };

/** Takes a token or the code of a sign-in link. A link alone does not sign in: another site may have opened it. */
export function SignInPage() {
  useTitle(t`Sign in`);
  const { code, invitation } = useLink();
  const { data: hasSingleSignOn } = useQuery({
    queryKey: ['single-sign-on'],
    queryFn: offersSingleSignOn,
    staleTime: Infinity,
  });
  const signIn = useMutation({
    mutationFn: (body: SignIn) => client.call('POST /login', { body }),
    onSuccess: ({ session_key: key }) => {
      sessionKey.keep(key);
      if (location.pathname === '/login') location.replace('/');
      else location.reload();
    },
  });
  const submit = (event: SyntheticEvent<HTMLFormElement>) => {
    event.preventDefault();
    const token = new FormData(event.currentTarget).get('token');
    signIn.mutate({ token: typeof token === 'string' ? token : '' });
  };
  return (
    <main className="flex h-full items-center justify-center overflow-y-auto p-4">
      <div className="flex w-full max-w-[360px] flex-col gap-7">
        <header>
          <h1 className="text-title">Reborn</h1>
          <p className="text-soft">
            <Trans>Sign in to continue.</Trans>
          </p>
        </header>
        {code && !signIn.error && (
          <section className="flex flex-col gap-3">
            <p>
              <Trans>
                This link signs this browser in as the person it was made for, and works once. Continue only if you got
                it from your own service.
              </Trans>
            </p>
            <Button look="act" className="min-h-10" onClick={() => signIn.mutate({ code })}>
              <Trans>Sign in with this link</Trans>
            </Button>
          </section>
        )}
        {invitation && !isSpent(signIn.error) && (
          <Suspense>
            <JoinForm isBusy={signIn.isPending} onJoin={(name) => signIn.mutate({ invitation, name })} />
          </Suspense>
        )}
        {hasSingleSignOn && (
          <a
            href="/login/oidc"
            className="flex min-h-10 items-center justify-center rounded bg-ember px-3 font-medium text-on-ember hover:brightness-110"
          >
            <Trans>Sign in with single sign-on</Trans>
          </a>
        )}
        {signIn.error && (
          <p role="alert" className="flex items-start gap-3 wash bg-failed-wash">
            <Icon name="warning" className="mt-1 text-failed" />
            {wordsFor(signIn.error, signIn.variables)}
          </p>
        )}
        {signIn.error instanceof ApiError && signIn.error.code === 'signed_in' && (
          <Button onClick={() => void signOut().then(signIn.reset)}>
            <Trans>Sign out</Trans>
          </Button>
        )}
        <form onSubmit={submit} className="flex flex-col gap-3">
          <TextField
            label={t`Token`}
            name="token"
            type="password"
            autoComplete="current-password"
            required
            autoFocus={!code && !invitation}
            hint={t`\`reborn link\` prints a sign-in link. An operator can also give you a token.`}
          />
          <Button type="submit" look={hasSingleSignOn || code || invitation ? 'plain' : 'act'} className="min-h-10">
            <Trans>Sign in</Trans>
          </Button>
        </form>
      </div>
    </main>
  );
}

/** The code of a sign-in link or of an invitation, which does not stay in the address. */
function useLink(): { readonly code: string | null; readonly invitation: string | null } {
  const [link] = useState(() => {
    if (location.pathname !== '/login') return { code: null, invitation: null };
    const invitation = new URLSearchParams(location.hash.slice(1)).get('invitation');
    return { code: new URLSearchParams(location.search).get('code'), invitation };
  });
  useEffect(() => {
    if (location.pathname === '/login' && (location.search || location.hash))
      history.replaceState(history.state, '', '/login');
  }, []);
  return link;
}

/** Whether the service knows no such invitation; other errors leave it as it is. */
const isSpent = (error: Error | null) => error instanceof ApiError && error.status === 401;

async function signOut(): Promise<void> {
  await client.call('POST /logout');
  sessionKey.drop();
}

function wordsFor(error: Error, given: object | undefined): string {
  if (!(error instanceof ApiError) || error.status !== 401)
    return wordsOf(error, { already_exists: t`A user has this name already. Choose another one.` });
  if (given && 'invitation' in given)
    return t`This invitation was used before, has expired or was taken back. Ask for a new one.`;
  return given && 'code' in given
    ? t`This link was used before, or is too old. \`reborn link\` prints a new one.`
    : t`Invalid or expired token. Check it, or ask an operator for another one.`;
}

/** With a provider the address leads on to it; without one there is nothing. */
async function offersSingleSignOn(): Promise<boolean> {
  const answer = await fetch('/login/oidc', { redirect: 'manual' });
  return answer.type === 'opaqueredirect';
}
