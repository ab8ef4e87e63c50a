import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import type { McpServer } from '@reborn-agent/client/api';
import { useState } from 'react';
import { useServices } from '../app/services.ts';
import { Button } from '../parts/button.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { CheckField, ChoiceField, TextField } from '../parts/field.tsx';
import { Form } from '../parts/form.tsx';
import { Problem } from '../parts/problem.tsx';
import { type Header, HeaderFields } from './header-fields.tsx';
import { useAddServer } from './use-add-server.ts';

export type Holder = 'me' | 'everyone';

export const holders = () =>
  [
    { value: 'me', words: t`Only mine` },
    { value: 'everyone', words: t`Everyone’s` },
  ] as const;

type Props = { readonly onAdded: (server: McpServer) => void; readonly onClose: () => void };

/** Adds a server by its address. A server that wants a sign-in says so when it is opened. */
export function AddMcpServer({ onAdded, onClose }: Props) {
  const { me } = useServices();
  const [name, setName] = useState('');
  const [url, setUrl] = useState('');
  const [key, setKey] = useState('');
  const [headers, setHeaders] = useState<readonly Header[]>([]);
  const [isPrivate, setPrivate] = useState(false);
  const [holder, setHolder] = useState<Holder>('me');
  const add = useAddServer(onAdded);
  return (
    <Dialog title={t`Add an MCP server`} onClose={onClose}>
      <Form
        onSubmit={() => {
          const own = headers.map((header) => [header.name.trim(), header.value] as const);
          const sent = { ...(key && { Authorization: `Bearer ${key}` }), ...Object.fromEntries(own) };
          add.mutate({ name, url, for: holder, headers: sent, private_network: isPrivate });
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
        {me.role === 'operator' && (
          <CheckField
            words={t`It is in my own network`}
            hint={t`Otherwise only public addresses with https:// are called, so that no one reaches your other machines. Only this address is allowed.`}
            checked={isPrivate}
            onChange={setPrivate}
          />
        )}
        <TextField
          label={t`Key`}
          type="password"
          autoComplete="off"
          value={key}
          onChange={(event) => setKey(event.target.value)}
          hint={t`Only if the server wants one. It is stored encrypted, and the model never sees it.`}
        />
        <HeaderFields headers={headers} onChange={setHeaders} />
        {me.role === 'operator' && (
          <ChoiceField label={t`Whose agent uses it`} choices={holders()} value={holder} onChoose={setHolder} />
        )}
        {add.error && <Problem error={add.error} />}
        <Button type="submit" look="act" className="self-start" disabled={add.isPending}>
          <Trans>Add</Trans>
        </Button>
      </Form>
    </Dialog>
  );
}
