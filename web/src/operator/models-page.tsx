import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import type { ModelProvider, Settings } from '@reborn-agent/client/api';
import { useQuery } from '@tanstack/react-query';
import { client } from '../client/client.ts';
import { ChoiceField } from '../parts/field.tsx';
import { Page } from '../parts/page.tsx';
import { Problem } from '../parts/problem.tsx';
import { Skeleton } from '../parts/skeleton.tsx';
import { ModelRoutes } from './model-routes.tsx';
import { Providers } from './providers.tsx';
import { TestModel } from './test-model.tsx';
import { useChangeSettings } from './use-change-settings.ts';

/** Which models can answer, where they are, and whether they do. */
export function ModelsPage() {
  const settings = useQuery({ queryKey: ['settings'], queryFn: () => client.call('GET /api/settings') });
  const providers = useQuery({ queryKey: ['providers'], queryFn: () => client.call('GET /api/settings/providers') });
  const error = settings.error ?? providers.error;
  const retry = () => void Promise.all([settings.refetch(), providers.refetch()]);
  return (
    <Page title={t`Models`} about={t`Which models can answer. Keys are stored encrypted, and never shown.`}>
      {error && <Problem error={error} onRetry={retry} />}
      {!(settings.data && providers.data) && !error && <Skeleton label={t`Loading the settings`} />}
      {settings.data && providers.data && (
        <>
          <DefaultModel settings={settings.data} providers={providers.data.providers} />
          <ModelRoutes settings={settings.data} providers={providers.data.providers} />
          <Providers providers={providers.data.providers} />
        </>
      )}
    </Page>
  );
}

/** The value of the choice that means the model of the environment. */
const CONFIGURED = '';

function DefaultModel({
  settings,
  providers,
}: {
  readonly settings: Settings;
  readonly providers: readonly ModelProvider[];
}) {
  const change = useChangeSettings();
  const { default_model: configured, default_route: chosen, model_routes: routes } = settings;
  const route = (chosen !== null && routes[chosen]) || configured;
  const lacking = providers.find(
    ({ name, kind, key_source: key }) => kind === route.provider && name === kind && key === null,
  );
  const choices = [
    { value: CONFIGURED, words: t`${configured.name} (from the environment)` },
    ...Object.entries(routes).map(([name, each]) => ({ value: name, words: `${name} (${each.name})` })),
  ];
  return (
    <section className="flex flex-col gap-3 card p-4">
      <div className="flex flex-wrap items-start justify-between gap-3">
        <div className="min-w-0">
          <h2 className="text-meta text-soft">
            <Trans>Default model, for messages that name no other</Trans>
          </h2>
          <p className="break-words font-semibold">{route.name}</p>
          <p className="break-words text-soft">
            {route.provider}
            {route.base_url && (
              <>
                , <span className="exact">{route.base_url}</span>
              </>
            )}
          </p>
        </div>
        <TestModel {...(chosen !== null && { route: chosen })} />
      </div>
      {lacking?.variable && route.provider !== 'openai-compatible' && (
        <p className="text-failed">
          <Trans>
            There is no key for {lacking.name}. Add it under Providers, or set {lacking.variable}.
          </Trans>
        </p>
      )}
      {choices.length > 1 && (
        <div className="max-w-96">
          <ChoiceField
            label={t`Default model`}
            choices={choices}
            value={chosen ?? CONFIGURED}
            onChoose={(name) => change.mutate({ default_route: name === CONFIGURED ? null : name })}
          />
        </div>
      )}
      {change.error && <Problem error={change.error} />}
      {route.provider === 'demo' && (
        <p>
          <Trans>To use a real model, store a key under Providers, add a model, and choose it here.</Trans>
        </p>
      )}
    </section>
  );
}
