import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import type { McpServerList } from '@reborn-agent/client/api';
import { useQuery } from '@tanstack/react-query';
import { useLocation } from '@tanstack/react-router';
import { useState } from 'react';
import { client } from '../client/client.ts';
import { Button } from '../parts/button.tsx';
import { EmptyState } from '../parts/empty-state.tsx';
import { Listed } from '../parts/listed.tsx';
import { Page } from '../parts/page.tsx';
import { Rows } from '../parts/rows.tsx';
import { StatusMark } from '../parts/status-mark.tsx';
import { AddMcpServer } from './add-mcp-server.tsx';
import { Catalogue } from './catalogue.tsx';
import { ConnectorTabs } from './connector-tabs.tsx';
import { McpDrawer } from './mcp-drawer.tsx';
import { describeTools } from './mcp-words.ts';
import { keyOf } from './use-add-server.ts';

type Listing = McpServerList['servers'][number];

/** The MCP servers whose tools the agent can call: the user's own, and everyone's. A hash names the one to open. */
export function McpPage() {
  const { hash } = useLocation();
  const [opened, setOpened] = useState<string | undefined>(hash);
  const [adding, setAdding] = useState(false);
  const { data, error, refetch } = useQuery({ queryKey: ['mcp'], queryFn: () => client.call('GET /api/mcp') });
  const server = data?.servers.find((each) => keyOf(each) === opened);
  return (
    <Page
      title={t`Connectors`}
      about={t`Servers whose tools the agent can call.`}
      actions={
        <Button icon="add" onClick={() => setAdding(true)}>
          <Trans>Add a server</Trans>
        </Button>
      }
    >
      <ConnectorTabs />
      <Listed
        rows={data?.servers}
        error={error}
        onRetry={() => void refetch()}
        label={t`Loading MCP servers`}
        empty={
          <EmptyState icon="tool" title={t`No MCP servers yet`}>
            <Trans>
              Choose one below, or add one by its address. Its tools are available from the next message on.
            </Trans>
          </EmptyState>
        }
      >
        {(servers) => (
          <Rows label={t`MCP servers`} rows={servers} keyOf={keyOf} onOpen={(row) => setOpened(keyOf(row))}>
            {(row) => <ServerRow server={row} />}
          </Rows>
        )}
      </Listed>
      <Catalogue added={data?.servers.map(({ url }) => url) ?? []} onAdded={(made) => setOpened(keyOf(made))} />
      {server && <McpDrawer name={server.name} holder={server.for} onClose={() => setOpened(undefined)} />}
      {adding && (
        <AddMcpServer
          onAdded={(made) => {
            setAdding(false);
            setOpened(keyOf(made));
          }}
          onClose={() => setAdding(false)}
        />
      )}
    </Page>
  );
}

function ServerRow({ server }: { readonly server: Listing }) {
  return (
    <>
      <span className="min-w-0 flex-1 basis-full sm:basis-60">
        <span className="block truncate font-medium">{server.name}</span>
        <span className="block truncate font-mono text-meta text-soft">{server.url}</span>
        <span className="block break-words text-meta text-soft">{describeTools(server).join(' ')}</span>
      </span>
      {server.hidden && <StatusMark mark="idle" words={t`hidden by everyone's`} />}
      <ServerState server={server} />
      <span className="text-meta text-soft">{server.for === 'me' ? t`yours` : t`for everyone`}</span>
    </>
  );
}

function ServerState({ server }: { readonly server: Listing }) {
  if (server.sign_in === 'needed') return <StatusMark mark="waiting" words={t`needs your sign-in`} />;
  if (server.problem !== null) return <StatusMark mark="failed" words={t`could not be listed`} />;
  if (server.unreviewed > 0) return <StatusMark mark="waiting" words={t`${server.unreviewed} to review`} />;
  return <StatusMark mark="done" words={t`ready`} />;
}
