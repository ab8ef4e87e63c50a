import type { Settings } from '@reborn-agent/client/api';
import { useQuery } from '@tanstack/react-query';
import { client } from '../client/client.ts';
import { Page } from '../parts/page.tsx';
import { Problem } from '../parts/problem.tsx';
import { Skeleton } from '../parts/skeleton.tsx';
import { StatusMark } from '../parts/status-mark.tsx';
import { ModelRoutes } from './model-routes.tsx';
import { TestModel } from './test-model.tsx';

/** Which model answers, and whether it does. */
export function ModelsPage() {
  const { data, error, refetch } = useQuery({
    queryKey: ['settings'],
    queryFn: () => client.call('GET /api/settings'),
  });
  return (
    <Page title="Models" about="Which model answers. Keys come from the environment and are never shown.">
      {error && <Problem error={error} onRetry={() => void refetch()} />}
      {!data && !error && <Skeleton label="Loading the settings" />}
      {data && (
        <>
          <DefaultModel settings={data} />
          <ModelRoutes settings={data} />
          <section>
            <h2 className="mb-2 font-semibold">Providers</h2>
            <ul className="flex flex-wrap gap-x-6 gap-y-2">
              {data.providers
                .filter(({ name }) => name !== 'demo')
                .map(({ name, key_set: hasKey }) => (
                  <li key={name}>
                    <StatusMark mark={hasKey ? 'done' : 'idle'} words={`${name}: ${hasKey ? 'key found' : 'no key'}`} />
                  </li>
                ))}
            </ul>
          </section>
        </>
      )}
    </Page>
  );
}

/** A self-hosted model often needs none. */
const KEYED: ReadonlySet<string> = new Set(['openai', 'anthropic', 'google']);

function DefaultModel({ settings }: { readonly settings: Settings }) {
  const { provider, name, base_url: address, key_set: hasKey } = settings.default_model;
  return (
    <section className="flex flex-col gap-3 rounded border border-line bg-raised p-4">
      <div className="flex flex-wrap items-start justify-between gap-3">
        <div className="min-w-0">
          <h2 className="text-s text-soft">The model that answers unless a request names another</h2>
          <p className="break-words text-xl font-semibold">{name}</p>
          <p className="text-soft">
            {provider}
            {address && `, ${address}`}
            {!hasKey && KEYED.has(provider) && '. No key was found for it.'}
          </p>
        </div>
        <TestModel />
      </div>
      {provider === 'demo' && (
        <p>
          To use a real model, set LLM_PROVIDER, LLM_MODEL and LLM_API_KEY in the environment of the service, or run{' '}
          <code className="font-mono text-s">reborn init</code>, and start it again.
        </p>
      )}
    </section>
  );
}
