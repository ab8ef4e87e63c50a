import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { CopyButton } from '../chat/transcript/row-actions.tsx';
import { client } from '../client/client.ts';
import { Button } from '../parts/button.tsx';
import { Problem } from '../parts/problem.tsx';
import { RelativeTime } from '../parts/relative-time.tsx';

/** The chats on other platforms where the agent knows this person. */
export function ChatApps() {
  const queries = useQueryClient();
  const { data, error } = useQuery({ queryKey: ['channels'], queryFn: () => client.call('GET /api/channels') });
  const create = useMutation({ mutationFn: () => client.call('POST /api/channels/codes') });
  const remove = useMutation({
    mutationFn: (params: { id: string; sender: string }) =>
      client.call('DELETE /api/channels/{id}/links/{sender}', { params }),
    onSuccess: () => queries.invalidateQueries({ queryKey: ['channels'] }),
  });
  const nameOf = (id: string) => data?.channels.find((channel) => channel.id === id)?.name ?? t`a removed channel`;
  const problem = error ?? create.error ?? remove.error;
  return (
    <>
      <p className="text-soft">
        {data?.channels.length === 0
          ? t`None is connected. The operator adds one under Channels.`
          : t`Link your account, then talk to the agent there and answer its questions.`}
      </p>
      {problem && <Problem error={problem} />}
      <ul aria-label={t`Linked chats`} className="divide-y divide-line">
        {data?.links.map(({ channel_id: id, sender, name, created_at: since }) => (
          <li key={`${id} ${sender}`} className="flex flex-wrap items-center gap-3 py-2">
            <span className="min-w-0 flex-1 basis-48">
              <span className="block truncate">
                <Trans>
                  {name} with {nameOf(id)}
                </Trans>
              </span>
              <span className="text-meta text-soft">
                <Trans>
                  linked <RelativeTime time={since} />
                </Trans>
              </span>
            </span>
            <Button look="quiet" disabled={remove.isPending} onClick={() => remove.mutate({ id, sender })}>
              <Trans>Unlink</Trans>
            </Button>
          </li>
        ))}
      </ul>
      {data && data.channels.length > 0 && (
        <div className="flex flex-wrap items-center gap-3">
          <Button disabled={create.isPending} onClick={() => create.mutate()}>
            <Trans>Get a code</Trans>
          </Button>
          {create.data && (
            <span role="status" className="flex flex-wrap items-center gap-2">
              <span>
                <Trans>
                  Send <code>{create.data.code}</code> <CopyButton text={create.data.code} /> to the bot within ten
                  minutes
                </Trans>
              </span>
              {create.data.links.map((link) => (
                <a key={link.channel_id} href={link.url} target="_blank" rel="noreferrer" className="link">
                  <Trans>Open {nameOf(link.channel_id)}</Trans>
                </a>
              ))}
            </span>
          )}
        </div>
      )}
    </>
  );
}
