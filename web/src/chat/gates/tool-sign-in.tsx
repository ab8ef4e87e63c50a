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
  return (
    <div className="flex flex-col gap-3">
      {tool.auth?.instructions && <p>{tool.auth.instructions}</p>}
      {begin.error && <Problem error={begin.error} />}
      <Button look="act" className="self-start" disabled={begin.isPending} onClick={() => begin.mutate()}>
        Sign in to {tool.auth?.display_name ?? tool.name}
      </Button>
      <p className="text-s text-soft">
        The provider must know the address {location.origin}/tools/callback. Otherwise sign in with the command: reborn
        tool auth {tool.name}
      </p>
    </div>
  );
}
