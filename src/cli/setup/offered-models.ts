import { type ListedModel, listRequest, readModelList } from '#models/list-models.ts';
import type { ModelRoute } from '#models/model-route.ts';
import { connectionProblemOf } from '#models/provider/to-model-failure.ts';

const PATIENCE_MS = 10_000;

/** What a provider offers with this key, or the reason why that is not known. */
export type OfferedModels = { readonly models: readonly ListedModel[]; readonly problem?: string };

export async function findOfferedModels({
  provider,
  baseUrl,
  apiKey,
}: Omit<ModelRoute, 'name'>): Promise<OfferedModels> {
  const { url, headers } = listRequest({ provider, baseUrl }, apiKey);
  try {
    const answer = await fetch(url, { headers, redirect: 'error', signal: AbortSignal.timeout(PATIENCE_MS) });
    if (answer.ok) return { models: readModelList(provider, await answer.json().catch(() => undefined)) ?? [] };
    return { models: [], problem: describeRefusal(answer.status, url) };
  } catch (error) {
    const isLate = error instanceof Error && error.name === 'TimeoutError';
    const reason = isLate ? 'no answer came in time' : (connectionProblemOf(error) ?? 'the request failed');
    return { models: [], problem: `The models could not be listed: ${reason}. The address is ${url}.` };
  }
}

/** Some servers list no models and answer all the same: the name is typed then. */
function describeRefusal(status: number, url: string): string {
  if (status === 401 || status === 403) return `The provider refused the key (${status}). Check it.`;
  return `The models could not be listed: the provider answered ${status}. The address is ${url}.`;
}

export function describeOffer({ models, problem }: OfferedModels): string {
  if (problem !== undefined) return problem;
  if (models.length === 0) return 'The provider lists no models.';
  return `The provider offers ${models.length} ${models.length === 1 ? 'model' : 'models'}.`;
}
