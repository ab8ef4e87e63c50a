import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import type { ModelProvider, ModelProviderPreset } from '@reborn-agent/client/api';
import { useState } from 'react';
import { Button } from '../../parts/button.tsx';
import { Confirm } from '../../parts/confirm.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { wordsOf } from '../../parts/error-words.ts';
import { TextField } from '../../parts/field.tsx';
import { Form } from '../../parts/form.tsx';
import { Problem } from '../../parts/problem.tsx';
import { usePutProvider, useRemoveProvider } from './use-provider-models.ts';

type Props = {
  readonly preset?: ModelProviderPreset | undefined;
  readonly provider?: ModelProvider | undefined;
  readonly onClose: () => void;
};

/** The key of a provider, and its address where it is not the same for everyone. */
export function ProviderForm({ preset, provider, onClose }: Props) {
  const [name, setName] = useState(provider?.name ?? preset?.name ?? '');
  const [address, setAddress] = useState(provider?.base_url ?? preset?.base_url ?? '');
  const [key, setKey] = useState('');
  const put = usePutProvider();
  const isFixed = preset?.fixed === true;
  const needsKey = preset?.needs_key === true;
  const isNamed = preset !== undefined || provider !== undefined;
  const title = provider?.title ?? preset?.title ?? t`Own server`;
  const send = () => {
    const body = { ...(!isFixed && { base_url: address.trim() }), ...(key.trim() && { api_key: key.trim() }) };
    put.mutate({ name: name.trim(), ...body }, { onSuccess: onClose });
  };
  return (
    <Dialog title={provider ? t`Replace the key of ${title}` : t`Add ${title}`} onClose={onClose}>
      <Form className="flex flex-col gap-3" onSubmit={send}>
        {!isNamed && (
          <TextField
            label={t`Name`}
            hint={t`Small letters, digits and dashes, such as home-server.`}
            required
            pattern="[a-z0-9][a-z0-9\-]{0,39}"
            value={name}
            onChange={(event) => setName(event.target.value.toLowerCase())}
          />
        )}
        {!isFixed && (
          <TextField
            label={t`Address`}
            hint={addressHint(preset)}
            type="url"
            required
            className="field w-full font-mono"
            value={address}
            onChange={(event) => setAddress(event.target.value)}
          />
        )}
        <TextField
          label={needsKey ? t`Key` : t`Key (optional)`}
          hint={t`It is tried first, stored encrypted, and never shown again.`}
          type="password"
          autoComplete="off"
          required={needsKey}
          value={key}
          onChange={(event) => setKey(event.target.value)}
        />
        {preset?.key_page && (
          <p className="text-meta">
            <a href={preset.key_page} target="_blank" rel="noreferrer" className="link">
              <Trans>Get a key at {new URL(preset.key_page).host}</Trans>
            </a>
          </p>
        )}
        {put.error && <Problem error={put.error} />}
        <div className="flex justify-end gap-2">
          {provider && <RemoveProvider provider={provider} onRemoved={onClose} />}
          <Button onClick={onClose}>
            <Trans>Cancel</Trans>
          </Button>
          <Button type="submit" look="act" disabled={put.isPending}>
            {put.isPending ? t`Trying the key` : t`Save`}
          </Button>
        </div>
      </Form>
    </Dialog>
  );
}

function RemoveProvider({ provider, onRemoved }: { readonly provider: ModelProvider; readonly onRemoved: () => void }) {
  const [asked, setAsked] = useState(false);
  const remove = useRemoveProvider(provider.name);
  return (
    <div className="me-auto">
      <Button look="danger" onClick={() => setAsked(true)}>
        <Trans>Remove</Trans>
      </Button>
      {remove.error && <p className="text-meta text-failed">{wordsOf(remove.error)}</p>}
      {asked && (
        <Confirm
          title={t`Remove ${provider.title}?`}
          action={t`Remove`}
          onConfirm={() => remove.mutate(undefined, { onSuccess: onRemoved })}
          onClose={() => setAsked(false)}
        >
          <Trans>Its key is deleted, and its models can't be chosen any more.</Trans>
        </Confirm>
      )}
    </div>
  );
}

function addressHint(preset: ModelProviderPreset | undefined): string {
  if (preset?.name === 'azure')
    return t`Put the name of your resource in the place of RESOURCE. Models are named as your deployments.`;
  if (preset?.name === 'bedrock') return t`Put your region in the place of REGION, such as eu-central-1.`;
  return t`A server with the API of OpenAI, such as http://localhost:11434/v1. It may be in your own network.`;
}
