import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { CopyButton } from '../chat/transcript/row-actions.tsx';
import { client } from '../client/client.ts';
import { Button } from '../parts/button.tsx';
import { EmptyState } from '../parts/empty-state.tsx';
import { Listing } from '../parts/listing.tsx';
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
      {problem && <Problem error={problem} />}
      {data?.channels.length === 0 && (
        <EmptyState icon="chat" title={t`No chat app is connected`}>
          <Trans>The operator adds Telegram, Slack or mail under Channels.</Trans>
        </EmptyState>
      )}
      {data && data.channels.length > 0 && (
        <div className="card flex flex-wrap items-center gap-3 p-4">
          <Button disabled={create.isPending} onClick={() => create.mutate()}>
            <Trans>Get a code</Trans>
          </Button>
          {create.data ? (
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
          ) : (
            <span className="text-soft">
              <Trans>Send it to the bot, and it knows that you are you.</Trans>
            </span>
          )}
        </div>
      )}
      {data && data.links.length > 0 && (
        <Listing label={t`Linked chats`} rows={data.links} keyOf={({ channel_id: id, sender }) => `${id} ${sender}`}>
          {({ channel_id: id, sender, name, created_at: since }) => (
            <>
              <span className="min-w-0 flex-1 basis-48">
                <span className="block truncate font-medium">
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
            </>
          )}
        </Listing>
      )}
    </>
  );
}
