import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { ApiError } from '@reborn-agent/client';
import { useMutation } from '@tanstack/react-query';
import { Link, useRouter } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { client } from '../client/client.ts';
import { Page } from '../parts/page.tsx';
import { Problem } from '../parts/problem.tsx';
import { Skeleton } from '../parts/skeleton.tsx';
import { takeWayBack } from './way-back.ts';

/** Where a provider sends the browser after a sign-in. The code is submitted and removed from the address. */
export function ToolCallbackPage() {
  const { history: pages } = useRouter();
  const [query] = useState(() => new URLSearchParams(location.search));
  const { mutate: finish, error } = useMutation({
    mutationFn: () => handIn(query),
    onSuccess: () => pages.replace(takeWayBack()),
  });
  useEffect(() => {
    history.replaceState(history.state, '', '/tools/callback');
    finish();
  }, [finish]);
  return (
    <Page title={t`Signing in`} about={t`What the provider said is handed to the service.`}>
      {error ? <Problem error={error} /> : <Skeleton label={t`Signing in`} />}
      {error && (
        <Link to="/connectors/tools" className="w-fit link">
          <Trans>Go to the tools</Trans>
        </Link>
      )}
    </Page>
  );
}

async function handIn(query: URLSearchParams): Promise<void> {
  const [state, code, refusal] = ['state', 'code', 'error'].map((name) => query.get(name));
  if (refusal) throw refused(refusal, t`The provider refused the sign-in: ${refusal.slice(0, 100)}. Try again.`);
  if (!state || !code) throw refused(t`incomplete`, t`The provider sent no code. Start the sign-in again.`);
  if (state.startsWith('mcp:')) {
    const iss = query.get('iss');
    await client.call('POST /api/mcp/sign-in/finish', { body: { state, code, ...(iss && { iss }) } });
    return;
  }
  await client.call('POST /api/tools/{name}/sign-in/finish', {
    params: { name: state.slice(0, state.lastIndexOf('.')) },
    body: { state, code },
  });
}

const refused = (code: string, message: string) => new ApiError({ status: 400, code, message });
