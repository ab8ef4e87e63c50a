import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useServices } from '../app/services.ts';
import { client } from '../client/client.ts';
import { Button } from '../parts/button.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { ChoiceField, TextField } from '../parts/field.tsx';
import { Problem } from '../parts/problem.tsx';

const holders = () =>
  [
    { value: 'me', words: t`Only mine` },
    { value: 'everyone', words: t`Everyone’s` },
  ] as const;

/** Adds a server by its address. A server that wants a sign-in says so when it is opened. */
export function AddMcpServer({ onClose }: { readonly onClose: () => void }) {
  const { me } = useServices();
  const queries = useQueryClient();
  const [name, setName] = useState('');
  const [url, setUrl] = useState('');
  const [key, setKey] = useState('');
  const [holder, setHolder] = useState<'me' | 'everyone'>('me');
  const add = useMutation({
    mutationFn: () =>
      client.call('POST /api/mcp', {
        body: { name, url, for: holder, ...(key && { headers: { Authorization: `Bearer ${key}` } }) },
      }),
    onSuccess: async () => {
      await Promise.all(['mcp', 'tools'].map((each) => queries.invalidateQueries({ queryKey: [each] })));
      onClose();
    },
  });
  return (
    <Dialog title={t`Add an MCP server`} onClose={onClose}>
      <form
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          add.mutate();
        }}
      >
        <TextField
          label={t`Name`}
          required
          maxLength={32}
          value={name}
          onChange={(event) => setName(event.target.value)}
          hint={t`It begins the names of the tools: lower-case letters, digits and dashes.`}
        />
        <TextField
          label={t`Address`}
          type="url"
          required
          placeholder="https://mcp.example.com/mcp"
          value={url}
          onChange={(event) => setUrl(event.target.value)}
        />
        <TextField
          label={t`Key`}
          type="password"
          autoComplete="off"
          value={key}
          onChange={(event) => setKey(event.target.value)}
          hint={t`Only if the server wants one. It is stored encrypted, and the model never sees it.`}
        />
        {me.role === 'operator' && (
          <ChoiceField label={t`Whose agent uses it`} choices={holders()} value={holder} onChoose={setHolder} />
        )}
        {add.error && <Problem error={add.error} />}
        <Button type="submit" look="act" className="self-start" disabled={add.isPending}>
          <Trans>Add</Trans>
        </Button>
      </form>
    </Dialog>
  );
}
