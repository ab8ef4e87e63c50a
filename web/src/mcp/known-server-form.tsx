import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import type { McpCatalogue, McpServerAdd } from '@reborn-agent/client/api';
import { useState } from 'react';
import { Button } from '../parts/button.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { TextField } from '../parts/field.tsx';
import { Form } from '../parts/form.tsx';
import { Problem } from '../parts/problem.tsx';

export type KnownServer = McpCatalogue['servers'][number];

type Props = {
  readonly server: KnownServer;
  readonly isBusy: boolean;
  readonly error: Error | null;
  readonly onSubmit: (more: Pick<McpServerAdd, 'headers' | 'client_id' | 'client_secret'>) => void;
  readonly onClose: () => void;
};

/** Asks for what a person must get from the vendor first: a key, or a client. */
export function KnownServerForm({ server, isBusy, error, onSubmit, onClose }: Props) {
  const { name, header, page } = server;
  const [clientId, setClientId] = useState('');
  const [secret, setSecret] = useState('');
  const callback = `${location.origin}/tools/callback`;
  return (
    <Dialog title={t`Add ${name}`} onClose={onClose}>
      <Form
        onSubmit={() => {
          onSubmit(
            header
              ? { headers: { [header.name]: header.value.replace('{secret}', () => secret) } }
              : { client_id: clientId, ...(secret && { client_secret: secret }) },
          );
        }}
      >
        <p>
          {header ? (
            <Trans>{name} wants a key, which you create there.</Trans>
          ) : (
            <Trans>
              {name} wants a client that you register there, with the redirect address{' '}
              <span className="exact break-all">{callback}</span>.
            </Trans>
          )}{' '}
          <a href={page} target="_blank" rel="noopener noreferrer" className="link">
            <Trans>About {name}</Trans>
          </a>
        </p>
        {!header && (
          <TextField
            label={t`Client ID`}
            required
            value={clientId}
            onChange={(event) => setClientId(event.target.value)}
          />
        )}
        <TextField
          label={header ? t`Key` : t`Client secret`}
          type="password"
          autoComplete="off"
          required={header !== null}
          value={secret}
          onChange={(event) => setSecret(event.target.value)}
          hint={t`It is stored encrypted, and the model never sees it.`}
        />
        {error && <Problem error={error} />}
        <Button type="submit" look="act" className="self-start" disabled={isBusy}>
          <Trans>Add</Trans>
        </Button>
      </Form>
    </Dialog>
  );
}
