import { useMutation } from '@tanstack/react-query';
import { gateway } from '../../client/gateway.ts';
import type { Tool } from '../../client/shapes.ts';
import { Button } from '../../parts/button.tsx';
import { Problem } from '../../parts/problem.tsx';
import { keepWayBack } from '../../tools/way-back.ts';

/** Leads to the provider's page, and back to this one. */
export function ToolSignIn({ tool }: { readonly tool: Tool }) {
  const begin = useMutation({
    mutationFn: () => gateway.beginSignIn(tool.name),
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
