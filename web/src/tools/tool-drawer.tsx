import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import type { AgentTool } from '@reborn-agent/client/api';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useServices } from '../app/services.ts';
import { SecretForm } from '../chat/gates/secret-form.tsx';
import { ReadableJson } from '../chat/transcript/readable-json.tsx';
import { client } from '../client/client.ts';
import { formatExact } from '../format/time.ts';
import { McpSignIn } from '../mcp/mcp-sign-in.tsx';
import { Button } from '../parts/button.tsx';
import { Confirm } from '../parts/confirm.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { Problem } from '../parts/problem.tsx';
import { Capabilities } from './capabilities.tsx';
import { ToolPolicy } from './tool-policy.tsx';
import { describeTool, reachOfBuiltin } from './tool-words.ts';

export function ToolDrawer({ tool, onClose }: { readonly tool: AgentTool; readonly onClose: () => void }) {
  return (
    <Dialog title={tool.name} place="side" onClose={onClose}>
      <div className="flex flex-col gap-7">
        <p>{describeTool(tool)}</p>
        {tool.quarantined_until && (
          <p className="rounded bg-failed-wash p-3">
            <Trans>
              It crashed too often, so its calls are refused until {formatExact(tool.quarantined_until)}. Then it is
              tried again by itself.
            </Trans>
          </p>
        )}
        <ToolPolicy tool={tool} />
        <section>
          <h3 className="mb-2 font-semibold">
            <Trans>What it may reach</Trans>
          </h3>
          <Reach tool={tool} />
          {tool.reads && (
            <p className="mt-2">
              <Trans>The operator said that it only reads, so it runs also after text by others.</Trans>
            </p>
          )}
        </section>
        {tool.mcp_server && tool.needs_sign_in && <McpSignIn server={tool.mcp_server} />}
        {(tool.auth || tool.secrets.length > 0) && (
          <section>
            <h3 className="mb-2 font-semibold">
              {tool.needs_sign_in ? t`It needs a secret of yours` : t`It has its secret`}
            </h3>
            <SecretForm tool={tool} onKept={() => {}} />
          </section>
        )}
        <details className="group">
          <summary className="text-meta text-soft link">
            <Trans>What the model is told about it</Trans>
          </summary>
          <p className="my-2 whitespace-pre-wrap break-words text-meta">{tool.description}</p>
          <ReadableJson text={JSON.stringify(tool.parameters)} />
        </details>
        {tool.source === 'installed' && <RemoveTool tool={tool} onRemoved={onClose} />}
      </div>
    </Dialog>
  );
}

function Reach({ tool }: { readonly tool: AgentTool }) {
  if (tool.source === 'installed') return <Capabilities name={tool.name} sentences={tool.capabilities} />;
  if (tool.source === 'builtin') return <p>{reachOfBuiltin(tool.name)}</p>;
  return (
    <p>
      <Trans>
        It runs at <ServerLink name={tool.mcp_server} />, which gets the arguments of each call. What it reaches from
        there is up to that server.
      </Trans>
    </p>
  );
}

const ServerLink = ({ name }: { readonly name: string | null }) => (
  <Link to="/connectors" className="link">
    {name}
  </Link>
);

function RemoveTool({ tool, onRemoved }: { readonly tool: AgentTool; readonly onRemoved: () => void }) {
  const { me } = useServices();
  const queries = useQueryClient();
  const [asking, setAsking] = useState(false);
  const remove = useMutation({
    mutationFn: () => client.call('DELETE /api/tools/{name}', { params: { name: tool.name } }),
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: ['tools'] });
      onRemoved();
    },
  });
  if (me.role !== 'operator') return null;
  return (
    <div className="border-t border-line pt-4">
      {remove.error && <Problem error={remove.error} />}
      <Button look="danger" icon="trash" onClick={() => setAsking(true)}>
        <Trans>Remove the tool</Trans>
      </Button>
      {asking && (
        <Confirm
          title={t`Remove ${tool.name}?`}
          action={t`Remove`}
          onConfirm={() => remove.mutate()}
          onClose={() => setAsking(false)}
        >
          <Trans>No thread can use it any more. It can be installed again.</Trans>
        </Confirm>
      )}
    </div>
  );
}
