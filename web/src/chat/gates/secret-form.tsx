import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import type { AgentTool } from '@reborn-agent/client/api';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { client } from '../../client/client.ts';
import { Button } from '../../parts/button.tsx';
import { TextField } from '../../parts/field.tsx';
import { Form } from '../../parts/form.tsx';
import { Problem } from '../../parts/problem.tsx';
import { ToolSignIn } from './tool-sign-in.tsx';

/** Gives a tool the secret it asks for. It is stored encrypted, never shown again, and the model never sees it. */
export function SecretForm({ tool, onKept }: { readonly tool: AgentTool; readonly onKept: () => void }) {
  const [value, setValue] = useState('');
  const queries = useQueryClient();
  const wanted = tool.auth?.secret_name ?? tool.secrets.find(({ stored }) => !stored)?.name;
  const keep = useMutation({
    mutationFn: () =>
      client.call('POST /api/tools/{name}/secret', {
        params: { name: tool.name },
        body: { name: wanted ?? '', value, for: 'me' },
      }),
    onSuccess: async () => {
      setValue('');
      await queries.invalidateQueries({ queryKey: ['tools'] });
      onKept();
    },
  });
  if (wanted === undefined) return null;
  if (tool.auth?.oauth) return <ToolSignIn tool={tool} />;
  const prompt = tool.secrets.find(({ name }) => name === wanted)?.prompt;
  return (
    <Form className="flex flex-col gap-3" onSubmit={() => keep.mutate()}>
      {tool.auth?.instructions && <p>{tool.auth.instructions}</p>}
      {tool.auth?.setup_url && tool.auth.setup_url.startsWith('https:') && (
        <a href={tool.auth.setup_url} target="_blank" rel="noopener noreferrer" className="w-fit link">
          <Trans>Where to get it</Trans>
        </a>
      )}
      <TextField
        label={tool.auth?.display_name ?? prompt ?? wanted}
        type="password"
        autoComplete="off"
        value={value}
        onChange={(event) => setValue(event.target.value)}
        hint={[tool.auth?.token_hint, t`It is stored encrypted. The model never sees it.`].filter(Boolean).join(' ')}
      />
      {keep.error && <Problem error={keep.error} />}
      <Button type="submit" look="act" className="self-start" disabled={value === '' || keep.isPending}>
        <Trans>Save and continue</Trans>
      </Button>
    </Form>
  );
}
