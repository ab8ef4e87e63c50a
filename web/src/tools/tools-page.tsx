import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import type { AgentTool } from '@reborn-agent/client/api';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useServices } from '../app/services.ts';
import { client } from '../client/client.ts';
import { ConnectorTabs } from '../mcp/connector-tabs.tsx';
import { Button } from '../parts/button.tsx';
import { EmptyState } from '../parts/empty-state.tsx';
import { Filter } from '../parts/filter.tsx';
import { Listed } from '../parts/listed.tsx';
import { Page } from '../parts/page.tsx';
import { Rows } from '../parts/rows.tsx';
import { StatusMark } from '../parts/status-mark.tsx';
import { InstallTool } from './install-tool.tsx';
import { ToolDrawer } from './tool-drawer.tsx';
import { wordsOfLevel } from './tool-policy.tsx';
import { describeTool } from './tool-words.ts';
import { WebSearch } from './web-search.tsx';

/** What the agent can do. */
export function ToolsPage() {
  const { me } = useServices();
  const [text, setText] = useState('');
  const [opened, setOpened] = useState<string>();
  const [installing, setInstalling] = useState(false);
  const { data, error, refetch } = useQuery({ queryKey: ['tools'], queryFn: () => client.call('GET /api/tools') });
  const shown = data?.tools.filter((tool) =>
    `${tool.name} ${describeTool(tool)} ${tool.description}`.toLowerCase().includes(text.toLowerCase()),
  );
  const tool = data?.tools.find(({ name }) => name === opened);
  return (
    <Page
      title={t`Tools`}
      about={t`What the agent can do, and what each tool may reach.`}
      actions={
        <>
          <Filter label={t`Search the tools`} value={text} onChange={setText} />
          {me.role === 'operator' && (
            <Button icon="add" onClick={() => setInstalling(true)}>
              <Trans>Install a tool</Trans>
            </Button>
          )}
        </>
      }
    >
      <ConnectorTabs />
      {me.role === 'operator' && <WebSearch />}
      <Listed
        rows={shown}
        error={error}
        onRetry={() => void refetch()}
        label={t`Loading tools`}
        empty={
          <EmptyState icon="tool" title={text ? t`No tool fits` : t`No tools yet`}>
            {text
              ? t`Try other words.`
              : t`An operator can install one here, or with the command: reborn tool install.`}
          </EmptyState>
        }
      >
        {(tools) => (
          <Rows label={t`Tools`} rows={tools} keyOf={({ name }) => name} onOpen={({ name }) => setOpened(name)}>
            {(row) => <ToolRow tool={row} />}
          </Rows>
        )}
      </Listed>
      {tool && <ToolDrawer tool={tool} onClose={() => setOpened(undefined)} />}
      {installing && <InstallTool onClose={() => setInstalling(false)} />}
    </Page>
  );
}

function ToolRow({ tool }: { readonly tool: AgentTool }) {
  const dangerous = tool.capabilities.filter((sentence) => sentence.dangerous).length;
  return (
    <>
      <span className="min-w-0 flex-1 basis-full sm:basis-60">
        <span className="block truncate font-medium">{tool.name}</span>
        <span className="line-clamp-2 break-words text-meta text-soft">{describeTool(tool)}</span>
      </span>
      {tool.quarantined_until && <StatusMark mark="failed" words={t`rests, since it crashed too often`} />}
      {tool.needs_sign_in && (
        <StatusMark mark="waiting" words={tool.mcp_server ? t`needs your sign-in` : t`needs a secret of yours`} />
      )}
      <StatusMark mark={tool.level === 'never' ? 'failed' : 'idle'} words={wordsOfLevel(tool.level)} />
      {dangerous > 0 && <StatusMark mark="idle" words={t`may change things elsewhere`} />}
      <span className="text-meta text-soft">{sourceOf(tool)}</span>
    </>
  );
}

function sourceOf({ source, mcp_server, version }: AgentTool): string {
  if (source === 'mcp') return t`from ${mcp_server ?? ''}`;
  return source === 'builtin' ? t`built in` : (version ?? t`installed`);
}
