import { t } from '@lingui/core/macro';
import { useMutation } from '@tanstack/react-query';
import { client } from '../client/client.ts';
import { Button } from '../parts/button.tsx';
import { Problem } from '../parts/problem.tsx';
import { keepWayBack } from '../tools/way-back.ts';

/** Leads to the page where the user signs in to an MCP server, and back to this one. */
export function McpSignIn({ server, holder = 'me' }: { readonly server: string; readonly holder?: 'me' | 'everyone' }) {
  const begin = useMutation({
    mutationFn: () => client.call('POST /api/mcp/{name}/sign-in', { params: { name: server }, query: { for: holder } }),
    onSuccess: ({ url }) => {
      keepWayBack();
      location.assign(url);
    },
  });
  return (
    <div className="flex flex-col gap-3">
      {begin.error && <Problem error={begin.error} />}
      <Button look="act" className="self-start" disabled={begin.isPending} onClick={() => begin.mutate()}>
        {holder === 'me' ? t`Sign in to ${server}` : t`Sign in for everyone`}
      </Button>
    </div>
  );
}
