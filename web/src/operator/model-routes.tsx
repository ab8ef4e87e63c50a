import type { Settings } from '@reborn-agent/client/api';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { client } from '../client/client.ts';
import { Button, IconButton } from '../parts/button.tsx';
import { ChoiceField, TextField } from '../parts/field.tsx';
import { Problem } from '../parts/problem.tsx';
import { TestModel } from './test-model.tsx';

type Routes = Settings['model_routes'];
type Provider = Routes[string]['provider'];

/** Models that a request can name, besides the one that answers otherwise. */
export function ModelRoutes({ settings }: { readonly settings: Settings }) {
  const queries = useQueryClient();
  const change = useMutation({
    mutationFn: (routes: Routes) => client.call('PATCH /api/settings', { body: { model_routes: routes } }),
    onSuccess: (changed) => queries.setQueryData(['settings'], changed),
  });
  const routes = settings.model_routes;
  const remove = (name: string) =>
    change.mutate(Object.fromEntries(Object.entries(routes).filter(([key]) => key !== name)));
  return (
    <section className="flex flex-col gap-3">
      <h2 className="font-semibold">Other models</h2>
      {Object.keys(routes).length === 0 && (
        <p className="text-soft">None. A request that names one gets the model above.</p>
      )}
      <ul className="flex flex-col gap-2">
        {Object.entries(routes).map(([name, route]) => (
          <li
            key={name}
            className="flex flex-wrap items-start gap-x-4 gap-y-2 rounded border border-line bg-raised p-3"
          >
            <div className="min-w-0 flex-1 basis-60">
              <p className="break-words font-medium">{name}</p>
              <p className="break-words text-s text-soft">
                {route.provider}, {route.name}
                {route.base_url && `, ${route.base_url}`}
                {route.fallback && `; when it fails: ${route.fallback.join(', ')}`}
              </p>
            </div>
            <TestModel route={name} />
            <IconButton icon="trash" label={`Remove ${name}`} onClick={() => remove(name)} />
          </li>
        ))}
      </ul>
      {change.error && <Problem error={change.error} />}
      <AddRoute onAdd={(name, route) => change.mutate({ ...routes, [name]: route })} />
    </section>
  );
}

function AddRoute({ onAdd }: { readonly onAdd: (name: string, route: Routes[string]) => void }) {
  const [name, setName] = useState('');
  const [model, setModel] = useState('');
  const [address, setAddress] = useState('');
  const [fallback, setFallback] = useState('');
  const [provider, setProvider] = useState<Provider>('openai');
  return (
    <details className="group">
      <summary className="w-fit text-m underline underline-offset-2">Add a model</summary>
      <form
        className="mt-3 grid gap-3 md:grid-cols-2"
        onSubmit={(event) => {
          event.preventDefault();
          const others = fallback.split(',').flatMap((other) => other.trim() || []);
          onAdd(name, {
            provider,
            name: model,
            ...(address !== '' && { base_url: address }),
            ...(others.length > 0 && { fallback: others }),
          });
          setName('');
        }}
      >
        <TextField label="Alias" required value={name} onChange={(event) => setName(event.target.value)} />
        <ChoiceField label="Provider" choices={PROVIDERS} value={provider} onChoose={setProvider} />
        <TextField label="Model ID" required value={model} onChange={(event) => setModel(event.target.value)} />
        <TextField
          label="Base URL (optional)"
          type="url"
          value={address}
          onChange={(event) => setAddress(event.target.value)}
        />
        <TextField
          label="Models to ask when it fails, separated by commas"
          value={fallback}
          onChange={(event) => setFallback(event.target.value)}
        />
        <Button type="submit" look="act" className="justify-self-start">
          Add
        </Button>
      </form>
    </details>
  );
}

const PROVIDERS = (['openai', 'anthropic', 'google', 'openai-compatible', 'demo'] as const).map((value) => ({
  value,
  words: value,
}));
