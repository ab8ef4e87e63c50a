import { InvalidRequest } from '#domain/errors.ts';
import type { Egress } from '#egress/egress.ts';
import { EgressFailed, EgressRefused } from '#egress/egress-failure.ts';
import type { EgressAnswer } from '#egress/exchange.ts';
import type { ListedModel } from '#models/list-models.ts';
import type { StoredProvider } from './stored-providers.ts';

const LIST_BYTES = 5 * 1024 * 1024;
const LIST_MS = 15_000;

/** The models that the provider offers. Its answer is bounded, and entries that can't be used are left out. */
export async function listProviderModels(
  egress: Pick<Egress, 'send'>,
  provider: StoredProvider,
  apiKey: string | undefined,
): Promise<ListedModel[]> {
  const { name } = provider;
  const { listRequest, readModelList } = await import('#models/list-models.ts');
  const request = listRequest(provider, apiKey);
  const answer = await orExplain(name, () =>
    egress.send({
      ...request,
      method: 'GET',
      // The operator has set this address, and models on a private network are common.
      privateOrigin: provider.provider === 'openai-compatible' ? new URL(request.url).origin : undefined,
      timeoutMs: LIST_MS,
      maxResponseBytes: LIST_BYTES,
    }),
  );
  const models = answer.status === 200 ? readModelList(provider.provider, parseJson(answer)) : undefined;
  if (!models) throw refuse(describeAnswer(name, answer.status));
  return models;
}

async function orExplain(name: string, send: () => Promise<EgressAnswer>): Promise<EgressAnswer> {
  try {
    return await send();
  } catch (error) {
    if (error instanceof EgressFailed || error instanceof EgressRefused)
      throw refuse(`The models of ${name} could not be listed. ${error.message}`);
    throw error;
  }
}

function parseJson({ body }: EgressAnswer): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(body)) as unknown;
  } catch {
    return undefined;
  }
}

function describeAnswer(name: string, status: number): string {
  if (status === 401 || status === 403) return `${name} refused the key (${status}). Check the key.`;
  if (status === 404)
    return `${name} has no list of models at this address (404). Check the base URL, or type the name of the model.`;
  if (status === 200) return `The answer of ${name} is not a list of models. Type the name of the model.`;
  return `${name} answered ${status} instead of a list of models. Try again later, or type the name of the model.`;
}

const refuse = (message: string) => new InvalidRequest('invalid_request', null, message);
