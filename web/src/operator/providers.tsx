import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import type { ModelProvider } from '@reborn-agent/client/api';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { client } from '../client/client.ts';
import { Button } from '../parts/button.tsx';
import { Confirm } from '../parts/confirm.tsx';
import { TextField } from '../parts/field.tsx';
import { Problem } from '../parts/problem.tsx';
import { StatusMark } from '../parts/status-mark.tsx';
import { describeOffer, useProviderModels } from './provider-models.ts';

/** Where models come from, and the keys for them. */
export function Providers({ providers }: { readonly providers: readonly ModelProvider[] }) {
  return (
    <section className="flex flex-col gap-3">
      <h2 className="font-semibold">
        <Trans>Providers</Trans>
      </h2>
      <ul aria-label={t`Providers`} className="divide-y divide-line card">
        {providers.map((provider) => (
          <ProviderRow key={provider.name} provider={provider} />
        ))}
      </ul>
      <AddServer />
    </section>
  );
}

function useChangedProviders() {
  const queries = useQueryClient();
  return () =>
    Promise.all(
      ['providers', 'models', 'settings', 'provider-models'].map((key) =>
        queries.invalidateQueries({ queryKey: [key] }),
      ),
    );
}

type PutBody = { readonly name: string; readonly base_url?: string; readonly api_key?: string };

function usePutProvider(onDone: () => void) {
  const changed = useChangedProviders();
  return useMutation({
    mutationFn: ({ name, ...body }: PutBody) =>
      client.call('PUT /api/settings/providers/{name}', { params: { name }, body }),
    onSuccess: async () => {
      onDone();
      await changed();
    },
  });
}

function ProviderRow({ provider }: { readonly provider: ModelProvider }) {
  const [editing, setEditing] = useState(false);
  const [removing, setRemoving] = useState(false);
  const [checking, setChecking] = useState(false);
  const offered = useProviderModels(checking ? provider : undefined);
  const changed = useChangedProviders();
  const remove = useMutation({
    mutationFn: () => client.call('DELETE /api/settings/providers/{name}', { params: { name: provider.name } }),
    onSuccess: changed,
  });
  const canCheck = provider.key_source !== null || provider.kind === 'openai-compatible';
  const variable = provider.variable ?? 'LLM_API_KEY';
  const canStore = provider.key_source !== 'environment' && provider.name !== 'openai-compatible';
  return (
    <li className="flex flex-col gap-2 px-4 py-3">
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
        <div className="min-w-0 flex-1 basis-52">
          <p className="break-words font-medium">{provider.name}</p>
          {provider.base_url && <p className="break-words font-mono text-meta text-soft">{provider.base_url}</p>}
          {needsKey(provider) && (
            <p className="break-words text-meta text-soft">
              <Trans>Add a key, or set {variable}.</Trans>
            </p>
          )}
        </div>
        <StatusMark mark={provider.key_source ? 'done' : 'idle'} words={describeKey(provider)} />
        <div className="flex flex-wrap gap-2">
          {canCheck && (
            <Button
              disabled={offered.isFetching}
              onClick={() => (checking ? void offered.refetch() : setChecking(true))}
            >
              <Trans>Test</Trans>
            </Button>
          )}
          {canStore && (
            <Button onClick={() => setEditing(!editing)}>
              {provider.key_source === 'stored' ? t`Replace key` : t`Add key`}
            </Button>
          )}
          {provider.stored && (
            <Button look="danger" onClick={() => setRemoving(true)}>
              <Trans>Remove</Trans>
            </Button>
          )}
        </div>
      </div>
      {checking && (
        <p role="status" className={`break-words text-meta ${offered.error ? 'text-failed' : 'text-soft'}`}>
          {describeOffer(offered)}
        </p>
      )}
      {editing && <KeyForm provider={provider} onDone={() => setEditing(false)} />}
      {remove.error && <Problem error={remove.error} />}
      {removing && (
        <Confirm
          title={t`Remove ${provider.name}?`}
          action={t`Remove`}
          onConfirm={() => remove.mutate()}
          onClose={() => setRemoving(false)}
        >
          <Trans>Its key is deleted. Models that use it fail until a key is stored again.</Trans>
        </Confirm>
      )}
    </li>
  );
}

function describeKey({ key_source: source }: ModelProvider): string {
  if (source === 'environment') return t`key from the environment`;
  return source === 'stored' ? t`key stored` : t`no key`;
}

/** Private servers often need none. */
const needsKey = ({ key_source: source, kind, name }: ModelProvider) =>
  source === null && (kind !== 'openai-compatible' || name === 'openai');

function KeyForm({ provider, onDone }: { readonly provider: ModelProvider; readonly onDone: () => void }) {
  const [key, setKey] = useState('');
  const put = usePutProvider(onDone);
  return (
    <form
      className="flex flex-col gap-2"
      onSubmit={(event) => {
        event.preventDefault();
        const address = provider.base_url === null ? {} : { base_url: provider.base_url };
        put.mutate({ name: provider.name, api_key: key.trim(), ...address });
      }}
    >
      <TextField
        label={t`Key of ${provider.name}`}
        hint={t`It is stored encrypted and never shown again.`}
        type="password"
        autoComplete="off"
        required
        value={key}
        onChange={(event) => setKey(event.target.value)}
      />
      {put.error && <Problem error={put.error} />}
      <div className="flex gap-2">
        <Button type="submit" look="act" disabled={put.isPending}>
          <Trans>Save</Trans>
        </Button>
        <Button onClick={onDone}>
          <Trans>Cancel</Trans>
        </Button>
      </div>
    </form>
  );
}

/** A server with the API of OpenAI: on the own machine, in the own network, or another company's. */
function AddServer() {
  const [name, setName] = useState('');
  const [address, setAddress] = useState('');
  const [key, setKey] = useState('');
  const put = usePutProvider(() => {
    setName('');
    setAddress('');
    setKey('');
  });
  return (
    <details className="group">
      <summary className="w-fit link">
        <Trans>Add a server</Trans>
      </summary>
      <form
        className="mt-3 grid items-start gap-3 md:grid-cols-2"
        onSubmit={(event) => {
          event.preventDefault();
          put.mutate({ name: name.trim(), base_url: address.trim(), ...(key.trim() && { api_key: key.trim() }) });
        }}
      >
        <TextField
          label={t`Name`}
          hint={t`Small letters, digits and dashes, such as ollama.`}
          required
          pattern="[a-z0-9][a-z0-9\-]{0,39}"
          value={name}
          onChange={(event) => setName(event.target.value.toLowerCase())}
        />
        <TextField
          label={t`Base URL`}
          hint={t`A server with the API of OpenAI, such as http://localhost:11434/v1.`}
          type="url"
          required
          value={address}
          onChange={(event) => setAddress(event.target.value)}
        />
        <TextField
          label={t`Key (optional)`}
          type="password"
          autoComplete="off"
          value={key}
          onChange={(event) => setKey(event.target.value)}
        />
        <div className="md:col-span-2">{put.error && <Problem error={put.error} />}</div>
        <Button type="submit" look="act" className="justify-self-start" disabled={put.isPending}>
          <Trans>Add server</Trans>
        </Button>
      </form>
    </details>
  );
}
