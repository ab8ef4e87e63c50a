import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import type { AgentTool } from '@reborn-agent/client/api';
import { useMutation, useQueryClient } from '@tanstack/react-query';
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

export function ToolDrawer({ tool, onClose }: { readonly tool: AgentTool; readonly onClose: () => void }) {
  return (
    <Dialog title={tool.name} place="side" onClose={onClose}>
      <div className="flex flex-col gap-6">
        <p>{tool.description}</p>
        {tool.quarantined_until && (
          <p className="rounded bg-failed-wash p-3">
            <Trans>
              It crashed too often, so its calls are refused until {formatExact(tool.quarantined_until)}. Then it is
              tried again by itself.
            </Trans>
          </p>
        )}
        <ToolPolicy tool={tool.name} />
        {tool.source === 'installed' && (
          <section>
            <h3 className="mb-2 font-semibold">
              <Trans>What it may do</Trans>
            </h3>
            <Capabilities name={tool.name} sentences={tool.capabilities} />
          </section>
        )}
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
          <summary className="text-s text-soft underline underline-offset-2">
            <Trans>Arguments it takes</Trans>
          </summary>
          <ReadableJson text={JSON.stringify(tool.parameters)} />
        </details>
        {tool.source === 'installed' && <RemoveTool tool={tool} onRemoved={onClose} />}
      </div>
    </Dialog>
  );
}

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
