import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import type { ModelProvider, Settings } from '@reborn-agent/client/api';
import { useId, useState } from 'react';
import { formatTokens } from '../format/number.ts';
import { Button, IconButton } from '../parts/button.tsx';
import { ChoiceField, TextField } from '../parts/field.tsx';
import { Problem } from '../parts/problem.tsx';
import { describeOffer, useProviderModels } from './provider-models.ts';
import { TestModel } from './test-model.tsx';
import { useChangeSettings } from './use-change-settings.ts';

type Routes = Settings['model_routes'];

/** Models that people and requests can choose besides the default one. */
export function ModelRoutes({
  settings,
  providers,
}: {
  readonly settings: Settings;
  readonly providers: readonly ModelProvider[];
}) {
  const change = useChangeSettings();
  const routes = settings.model_routes;
  const remove = (name: string) =>
    change.mutate({ model_routes: Object.fromEntries(Object.entries(routes).filter(([key]) => key !== name)) });
  return (
    <section className="flex flex-col gap-3">
      <h2 className="font-semibold">
        <Trans>Other models</Trans>
      </h2>
      {Object.keys(routes).length === 0 && (
        <p className="text-soft">
          <Trans>None yet. Everything goes to the default model.</Trans>
        </p>
      )}
      <ul className="flex flex-col gap-2">
        {Object.entries(routes).map(([name, route]) => (
          <li key={name} className="flex flex-wrap items-start gap-x-4 gap-y-2 card p-3">
            <div className="min-w-0 flex-1 basis-60">
              <p className="break-words font-medium">{name}</p>
              <p className="break-words text-meta text-soft">
                {route.provider}, {route.name}
                {route.base_url && `, ${route.base_url}`}
                {route.context_tokens && <>, {t`${formatTokens(route.context_tokens)} context`}</>}
                {route.fallback && <>; {t`when it fails: ${route.fallback.join(', ')}`}</>}
              </p>
            </div>
            <TestModel route={name} />
            <IconButton icon="trash" label={t`Remove ${name}`} onClick={() => remove(name)} />
          </li>
        ))}
      </ul>
      {change.error && <Problem error={change.error} />}
      <AddRoute
        providers={providers}
        onAdd={(name, route) => change.mutate({ model_routes: { ...routes, [name]: route } })}
      />
    </section>
  );
}

type AddProps = {
  readonly providers: readonly ModelProvider[];
  readonly onAdd: (name: string, route: Routes[string]) => void;
};

function AddRoute({ providers, onAdd }: AddProps) {
  const [open, setOpen] = useState(false);
  const usual = providers.find(({ key_source: key }) => key !== null) ?? providers[0];
  const [providerName, setProvider] = useState<string>();
  const provider = providers.find(({ name }) => name === providerName) ?? usual;
  const [model, setModel] = useState('');
  const [alias, setAlias] = useState('');
  const [fallback, setFallback] = useState('');
  const [seesImages, setSeesImages] = useState(false);
  const list = useId();
  const offered = useProviderModels(open ? provider : undefined);
  const known = offered.data?.models.find(({ id }) => id === model);
  if (!provider) return null;
  return (
    <details className="group" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary className="w-fit link">
        <Trans>Add a model</Trans>
      </summary>
      <form
        className="mt-3 grid items-start gap-3 md:grid-cols-2"
        onSubmit={(event) => {
          event.preventDefault();
          const others = fallback.split(',').flatMap((other) => other.trim() || []);
          const reads = known?.reads ?? (seesImages ? ['image' as const] : undefined);
          onAdd(alias.trim() || model, {
            provider: provider.kind,
            name: model,
            ...(provider.base_url !== null && { base_url: provider.base_url }),
            ...(known?.context_tokens && { context_tokens: Math.max(1000, known.context_tokens) }),
            ...(reads && { reads: [...reads] }),
            ...(others.length > 0 && { fallback: others }),
          });
          setAlias('');
          setModel('');
        }}
      >
        <ChoiceField
          label={t`Provider`}
          choices={providers.map(({ name }) => ({ value: name, words: name }))}
          value={provider.name}
          onChoose={setProvider}
        />
        <div>
          <TextField
            label={t`Model ID`}
            required
            list={list}
            autoComplete="off"
            value={model}
            onChange={(event) => setModel(event.target.value)}
          />
          <datalist id={list}>
            {offered.data?.models.map(({ id }) => (
              <option key={id} value={id} />
            ))}
          </datalist>
          <p role="status" className="mt-1 break-words text-meta text-soft">
            {describeOffer(offered)}
          </p>
        </div>
        <TextField
          label={t`Alias (optional)`}
          hint={t`The name in the list of models, and in requests.`}
          value={alias}
          onChange={(event) => setAlias(event.target.value)}
        />
        <TextField
          label={t`Models to ask when it fails, separated by commas`}
          value={fallback}
          onChange={(event) => setFallback(event.target.value)}
        />
        {provider.kind === 'openai-compatible' && !known?.reads && (
          <label className="flex items-center gap-2 md:col-span-2">
            <input type="checkbox" checked={seesImages} onChange={(event) => setSeesImages(event.target.checked)} />
            <Trans>This model can see images</Trans>
          </label>
        )}
        <Button type="submit" look="act" className="justify-self-start">
          <Trans>Add</Trans>
        </Button>
      </form>
    </details>
  );
}
