import { type ListedModel, listRequest, readModelList } from '#models/list-models.ts';
import type { ModelRoute } from '#models/model-route.ts';

const PATIENCE_MS = 10_000;

/** The models that a provider offers with this key; empty when it does not say. */
export async function findOfferedModels({
  provider,
  baseUrl,
  apiKey,
}: Omit<ModelRoute, 'name'>): Promise<ListedModel[]> {
  const { url, headers } = listRequest({ provider, baseUrl }, apiKey);
  try {
    const answer = await fetch(url, { headers, redirect: 'error', signal: AbortSignal.timeout(PATIENCE_MS) });
    return (answer.ok && readModelList(provider, await answer.json())) || [];
  } catch {
    return []; // the name is typed instead, and the test call says what is wrong
  }
}
