import { t } from '@lingui/core/macro';
import { Page } from '../../parts/page.tsx';
import { Problem } from '../../parts/problem.tsx';
import { Skeleton } from '../../parts/skeleton.tsx';
import { FallbackOrder } from './fallback-order.tsx';
import { ModelTable } from './model-table.tsx';
import { Providers } from './providers.tsx';
import { useProviderModels, useProviders } from './use-provider-models.ts';

/** In the order of work: a key, the models that it brings, and what happens when one does not answer. */
export function ModelsPage() {
  const providers = useProviders();
  const models = useProviderModels();
  const error = providers.error ?? models.error;
  return (
    <Page
      title={t`Models`}
      about={t`Add a key, and all models of its provider appear below. Switch on those that people may choose.`}
    >
      {error && <Problem error={error} onRetry={() => void Promise.all([providers.refetch(), models.refetch()])} />}
      {!error && !(providers.data && models.data) && <Skeleton label={t`Loading the models`} rows={6} />}
      {providers.data && models.data && (
        <>
          <Providers {...providers.data} />
          <ModelTable models={models.data.models} providers={providers.data.providers} />
          <FallbackOrder models={models.data.models} />
        </>
      )}
    </Page>
  );
}
