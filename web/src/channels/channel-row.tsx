import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import type { ListedChannel } from '@reborn-agent/client/api';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { CopyButton } from '../chat/transcript/row-actions.tsx';
import { client } from '../client/client.ts';
import { Button } from '../parts/button.tsx';
import { Confirm } from '../parts/confirm.tsx';
import { Problem } from '../parts/problem.tsx';
import { RelativeTime } from '../parts/relative-time.tsx';
import { StatusMark } from '../parts/status-mark.tsx';
import { ChannelAssistant } from './channel-assistant.tsx';
import { describeCounts, describeMode, PLATFORMS } from './channel-words.ts';

type Props = { readonly channel: ListedChannel };

/** One account on a platform: whether it works, and what waits in it. */
export function ChannelRow({ channel }: Props) {
  const { id, name } = channel;
  const queries = useQueryClient();
  const [removing, setRemoving] = useState(false);
  const reload = () => queries.invalidateQueries({ queryKey: ['channels'] });
  const test = useMutation({ mutationFn: () => client.call('POST /api/channels/{id}/test', { params: { id } }) });
  const remove = useMutation({
    mutationFn: () => client.call('DELETE /api/channels/{id}', { params: { id } }),
    onSettled: reload,
  });
  const problem = test.error ?? remove.error;
  const counts = describeCounts(channel);
  return (
    <li className="flex flex-col gap-2 px-4 py-3">
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
        <div className="min-w-0 flex-1 basis-60">
          <p className="break-words font-medium">{name}</p>
          <p className="text-meta text-soft">
            {PLATFORMS[channel.channel]()}, {describeMode(channel)}
            {channel.groups && `, ${t`also in groups`}`}
          </p>
          {counts !== '' && <p className="text-meta text-soft">{counts}</p>}
        </div>
        <Connection channel={channel} />
        <div className="flex flex-wrap gap-2">
          <Button aria-label={t`Test ${name}`} disabled={test.isPending} onClick={() => test.mutate()}>
            <Trans>Test</Trans>
          </Button>
          <Button
            look="danger"
            aria-label={t`Remove ${name}`}
            disabled={remove.isPending}
            onClick={() => setRemoving(true)}
          >
            <Trans>Remove</Trans>
          </Button>
        </div>
      </div>
      {channel.last_error !== null && (
        <p className="break-words rounded bg-failed-wash p-3 text-meta">
          {channel.last_error}
          {channel.failed_at !== null && (
            <>
              {' '}
              (<RelativeTime time={channel.failed_at} />)
            </>
          )}
        </p>
      )}
      <RequestUrl channel={channel} />
      <ChannelAssistant channel={channel} />
      <TestResult isPending={test.isPending} result={test.data} />
      {problem && <Problem error={problem} />}
      {removing && (
        <Confirm
          title={t`Remove ${name}?`}
          action={t`Remove`}
          onConfirm={() => remove.mutate()}
          onClose={() => setRemoving(false)}
        >
          <Trans>All links to it end, and messages that wait in it are lost. The threads stay.</Trans>
        </Confirm>
      )}
    </li>
  );
}

function Connection({ channel: { last_error: error, received_at: received } }: Props) {
  if (error !== null) return <StatusMark mark="failed" words={t`not connected`} />;
  if (received === null) return <StatusMark mark="idle" words={t`nothing received yet`} />;
  return <StatusMark mark="done" words={t`connected`} />;
}

/** The service sends its address to Telegram; the settings of a Slack app need it. */
function RequestUrl({ channel }: Props) {
  if (channel.channel !== 'slack' || channel.request_url === null) return null;
  return (
    <div className="text-meta">
      <p className="text-soft">
        <Trans>
          Enter this request URL in the settings of the Slack app, under Event Subscriptions, Interactivity and the
          slash command:
        </Trans>
      </p>
      <p className="flex items-center gap-2">
        <code className="min-w-0 break-all">{channel.request_url}</code>
        <CopyButton text={channel.request_url} />
      </p>
    </div>
  );
}

type ResultProps = { readonly isPending: boolean; readonly result: { readonly error: string | null } | undefined };

function TestResult({ isPending, result }: ResultProps) {
  if (isPending || !result) return null;
  return (
    <p role="status" className={`break-words text-meta ${result.error === null ? 'text-soft' : 'text-failed'}`}>
      {result.error ?? t`The platform accepts the credentials.`}
    </p>
  );
}
