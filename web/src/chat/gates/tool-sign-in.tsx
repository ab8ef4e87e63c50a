import { Trans } from '@lingui/react/macro';
import type { AgentTool } from '@reborn-agent/client/api';
import { useMutation } from '@tanstack/react-query';
import { client } from '../../client/client.ts';
import { Button } from '../../parts/button.tsx';
import { Problem } from '../../parts/problem.tsx';
import { keepWayBack } from '../../tools/way-back.ts';

/** Leads to the provider's page, and back to this one. */
export function ToolSignIn({ tool }: { readonly tool: AgentTool }) {
  const begin = useMutation({
    mutationFn: () => client.call('POST /api/tools/{name}/sign-in', { params: { name: tool.name } }),
    onSuccess: ({ url }) => {
      keepWayBack();
      location.assign(url);
    },
  });
  const provider = tool.auth?.display_name ?? tool.name;
  const callback = `${location.origin}/tools/callback`;
  return (
    <div className="flex flex-col gap-3">
      {tool.auth?.instructions && <p>{tool.auth.instructions}</p>}
      {begin.error && <Problem error={begin.error} />}
      <Button look="act" className="self-start" disabled={begin.isPending} onClick={() => begin.mutate()}>
        <Trans>Sign in to {provider}</Trans>
      </Button>
      <p className="text-meta text-soft">
        <Trans>
          The provider must know the address {callback}. Otherwise sign in with the command: reborn tool auth{' '}
          {tool.name}
        </Trans>
      </p>
    </div>
  );
}
