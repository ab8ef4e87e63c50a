import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { MissingPage } from '../app/failed-page.tsx';
import { useServices } from '../app/services.ts';
import { client } from '../client/client.ts';
import { Button } from '../parts/button.tsx';
import { EmptyState } from '../parts/empty-state.tsx';
import { Listed } from '../parts/listed.tsx';
import { Page } from '../parts/page.tsx';
import { AddChannel } from './add-channel.tsx';
import { ChannelRow } from './channel-row.tsx';

const REFRESH_MS = 5000;

/** Members may list channels, for their links in the settings, but only operators manage them. */
export function ChannelsPage() {
  const { me } = useServices();
  return me.role === 'operator' ? <ManagedChannels /> : <MissingPage />;
}

function ManagedChannels() {
  const [adding, setAdding] = useState(false);
  const { data, error, refetch } = useQuery({
    queryKey: ['channels'],
    queryFn: () => client.call('GET /api/channels'),
    refetchInterval: REFRESH_MS,
  });
  return (
    <Page
      title={t`Channels`}
      about={t`Chat apps and mailboxes in which people talk to the agent. Each person links their account in Settings.`}
      actions={
        <Button icon="add" onClick={() => setAdding(true)}>
          <Trans>Add a channel</Trans>
        </Button>
      }
    >
      <Listed
        rows={data?.channels}
        error={error}
        onRetry={() => void refetch()}
        label={t`Loading channels`}
        empty={
          <EmptyState icon="chat" title={t`No channels yet`}>
            <Trans>Add a Telegram bot, a Slack app or a mailbox.</Trans>
          </EmptyState>
        }
      >
        {(channels) => (
          <ul aria-label={t`Channels`} className="divide-y divide-line card">
            {channels.map((channel) => (
              <ChannelRow key={channel.id} channel={channel} />
            ))}
          </ul>
        )}
      </Listed>
      {adding && <AddChannel onClose={() => setAdding(false)} />}
    </Page>
  );
}
