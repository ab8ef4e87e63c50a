import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { CopyButton } from '../chat/transcript/row-actions.tsx';
import { client } from '../client/client.ts';
import { Button } from '../parts/button.tsx';
import { Problem } from '../parts/problem.tsx';
import { RelativeTime } from '../parts/relative-time.tsx';

/** The chats on other platforms in which the agent knows this person. */
export function ChatApps() {
  const queries = useQueryClient();
  const { data, error } = useQuery({ queryKey: ['channels'], queryFn: () => client.call('GET /api/channels') });
  const create = useMutation({ mutationFn: () => client.call('POST /api/channels/codes') });
  const remove = useMutation({
    mutationFn: (params: { id: string; sender: string }) =>
      client.call('DELETE /api/channels/{id}/links/{sender}', { params }),
    onSuccess: () => queries.invalidateQueries({ queryKey: ['channels'] }),
  });
  const nameOf = (id: string) => data?.channels.find((channel) => channel.id === id)?.name ?? 'a removed channel';
  const problem = error ?? create.error ?? remove.error;
  return (
    <>
      <p className="text-soft">
        {data?.channels.length === 0
          ? 'None is connected. The operator adds one with reborn channel add.'
          : 'Link your account, then talk to the agent there and answer its questions.'}
      </p>
      {problem && <Problem error={problem} />}
      <ul aria-label="Linked chats" className="divide-y divide-line">
        {data?.links.map(({ channel_id: id, sender, name, created_at: since }) => (
          <li key={`${id} ${sender}`} className="flex flex-wrap items-center gap-3 py-2">
            <span className="min-w-0 flex-1 basis-48">
              <span className="block truncate">
                {name} with {nameOf(id)}
              </span>
              <span className="text-s text-soft">
                linked <RelativeTime time={since} />
              </span>
            </span>
            <Button look="quiet" disabled={remove.isPending} onClick={() => remove.mutate({ id, sender })}>
              Unlink
            </Button>
          </li>
        ))}
      </ul>
      {data && data.channels.length > 0 && (
        <div className="flex flex-wrap items-center gap-3">
          <Button disabled={create.isPending} onClick={() => create.mutate()}>
            Get a code
          </Button>
          {create.data && (
            <span role="status" className="flex flex-wrap items-center gap-2">
              Send <code>{create.data.code}</code> <CopyButton text={create.data.code} /> to the bot within ten minutes
              {create.data.links.map((link) => (
                <a
                  key={link.channel_id}
                  href={link.url}
                  target="_blank"
                  rel="noreferrer"
                  className="underline underline-offset-2"
                >
                  Open {nameOf(link.channel_id)}
                </a>
              ))}
            </span>
          )}
        </div>
      )}
    </>
  );
}
