import { t } from '@lingui/core/macro';
import { useMutation } from '@tanstack/react-query';
import { client } from '../client/client.ts';
import { Button } from '../parts/button.tsx';
import { Problem } from '../parts/problem.tsx';
import { keepWayBack } from '../tools/way-back.ts';

type Asked = { readonly server: string; readonly holder?: 'me' | 'everyone'; readonly back?: string };

/** Leads to the page where the user signs in to an MCP server, and back to this one or to `back`. */
export const useSignIn = () =>
  useMutation({
    mutationFn: ({ server, holder = 'me' }: Asked) =>
      client.call('POST /api/mcp/{name}/sign-in', { params: { name: server }, query: { for: holder } }),
    onSuccess: ({ url }, { back }) => {
      keepWayBack(back);
      location.assign(url);
    },
  });

export function McpSignIn({ server, holder = 'me' }: Omit<Asked, 'back'>) {
  const begin = useSignIn();
  return (
    <div className="flex flex-col gap-3">
      {begin.error && <Problem error={begin.error} />}
      <Button
        look="act"
        className="self-start"
        disabled={begin.isPending}
        onClick={() => begin.mutate({ server, holder })}
      >
        {holder === 'me' ? t`Sign in to ${server}` : t`Sign in for everyone`}
      </Button>
    </div>
  );
}
