import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import type { McpServer } from '@reborn-agent/client/api';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useServices } from '../app/services.ts';
import { client } from '../client/client.ts';
import { Button } from '../parts/button.tsx';
import { Confirm } from '../parts/confirm.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { Problem } from '../parts/problem.tsx';
import { Skeleton } from '../parts/skeleton.tsx';
import { McpSignIn } from './mcp-sign-in.tsx';
import { describeTools } from './mcp-words.ts';
import { ServerTools } from './server-tools.tsx';

type Holder = 'me' | 'everyone';
type Props = { readonly name: string; readonly holder: Holder; readonly onClose: () => void };

/** One server: its sign-in, its tools, and the changes that wait for a review. */
export function McpDrawer({ name, holder, onClose }: Props) {
  const { data, error } = useQuery({
    queryKey: ['mcp', holder, name],
    queryFn: () => client.call('GET /api/mcp/{name}', { params: { name }, query: { for: holder } }),
  });
  return (
    <Dialog title={name} place="side" onClose={onClose}>
      {error && <Problem error={error} />}
      {!data && !error && <Skeleton label={t`Loading the server`} />}
      {data && <ServerDetails server={data} onClose={onClose} />}
    </Dialog>
  );
}

function ServerDetails({ server, onClose }: { readonly server: McpServer; readonly onClose: () => void }) {
  const { me } = useServices();
  const queries = useQueryClient();
  const [asking, setAsking] = useState(false);
  const options = { params: { name: server.name }, query: { for: server.for } };
  const reload = () => queries.invalidateQueries({ queryKey: ['mcp'] });
  const refresh = useMutation({
    mutationFn: () => client.call('POST /api/mcp/{name}/refresh', options),
    onSuccess: reload,
  });
  const accept = useMutation({
    mutationFn: () => client.call('POST /api/mcp/{name}/accept', { ...options, body: { listed_at: server.listed_at } }),
    onSettled: reload,
  });
  const remove = useMutation({
    mutationFn: () => client.call('DELETE /api/mcp/{name}', options),
    onSuccess: async () => {
      await reload();
      onClose();
    },
  });
  const mayChange = server.for === 'me' || me.role === 'operator';
  const changed = server.tools.filter((tool) => !tool.reviewed);
  const problem = refresh.error ?? accept.error ?? remove.error;
  return (
    <div className="flex flex-col gap-7">
      <p className="break-words">
        <span className="exact break-all">{server.url}</span>
        {server.protocol && ` (MCP ${server.protocol})`}
      </p>
      {server.problem !== null && <p className="wash bg-failed-wash">{server.problem}</p>}
      {server.sign_in === 'needed' && (
        <section className="flex flex-col gap-3">
          <p>
            <Trans>Sign in at {server.issuer}. The model never sees the sign-in.</Trans>
          </p>
          <McpSignIn server={server.name} />
          {server.for === 'everyone' && me.role === 'operator' && <McpSignIn server={server.name} holder="everyone" />}
        </section>
      )}
      {changed.length > 0 && (
        <section className="flex flex-col gap-3 gate p-4">
          <h3 className="font-semibold">
            <Trans>New and changed tools</Trans>
          </h3>
          <p>
            <Trans>Their calls need approval until you accept them.</Trans>
          </p>
          {changed.map((tool) => (
            <div key={tool.name}>
              <p className="font-medium">{tool.name}</p>
              {tool.description_before !== null && (
                <p className="break-words text-meta text-soft">
                  <Trans>Before: {tool.description_before}</Trans>
                </p>
              )}
              <p className="break-words text-meta">
                <Trans>Now: {tool.description}</Trans>
              </p>
            </div>
          ))}
          {mayChange && (
            <Button look="act" className="self-start" disabled={accept.isPending} onClick={() => accept.mutate()}>
              <Trans>Accept</Trans>
            </Button>
          )}
        </section>
      )}
      <section>
        <h3 className="mb-2 font-semibold">
          <Trans>Tools</Trans>
        </h3>
        {describeTools({
          ...server,
          tools: server.tools.length,
          reading: server.tools.filter((tool) => tool.read_only).length,
        }).map((sentence) => (
          <p key={sentence} className="mb-2">
            {sentence}
          </p>
        ))}
        <ServerTools server={server} />
        {server.left_out.map((reason) => (
          <p key={reason} className="mt-2 break-words text-meta text-soft">
            <Trans>Left out: {reason}</Trans>
          </p>
        ))}
      </section>
      {problem && (
        <Problem error={problem} own={{ already_exists: t`The tools were listed again since. Look at them again.` }} />
      )}
      {mayChange && (
        <div className="flex flex-wrap gap-2">
          <Button disabled={refresh.isPending} onClick={() => refresh.mutate()}>
            <Trans>List its tools again</Trans>
          </Button>
          <Button look="danger" icon="trash" disabled={remove.isPending} onClick={() => setAsking(true)}>
            <Trans>Remove</Trans>
          </Button>
          {asking && (
            <Confirm
              title={t`Remove ${server.name}?`}
              action={t`Remove`}
              onConfirm={() => remove.mutate()}
              onClose={() => setAsking(false)}
            >
              <Trans>No thread can use its tools any more, and all sign-ins to it end.</Trans>
            </Confirm>
          )}
        </div>
      )}
    </div>
  );
}
