import { jsonOf } from '#domain/text/json.ts';
import type { Egress } from '#egress/egress.ts';
import { EgressFailed, EgressRefused } from '#egress/egress-failure.ts';
import type { EgressAnswer } from '#egress/exchange.ts';
import { type Address, originOf } from '#models/bound-keys.ts';
import type { ListedModel } from '#models/list-models.ts';
import { presetOf } from '#models/provider-presets.ts';

/** How a provider answered when it was asked for its models. */
export type ProviderAnswer = {
  /** `no_list`: it answers, but lists no models, so they are added by name. */
  readonly state: 'works' | 'key_refused' | 'unreachable' | 'no_list';
  readonly models: readonly ListedModel[];
  /** What went wrong; null if it works. */
  readonly problem: string | null;
};

const LIST_BYTES = 5 * 1024 * 1024;
const LIST_MS = 15_000;

/** Tries a provider and its key. The answer is bounded, and entries of the list that can't be used are left out. */
export async function checkProvider(
  egress: Pick<Egress, 'send'>,
  provider: Address & { readonly name: string },
  apiKey: string | undefined,
): Promise<ProviderAnswer> {
  const { listRequest, readModelList } = await import('#models/list-models.ts');
  const preset = presetOf(provider);
  const ask = (path?: string) =>
    egress.send({
      ...listRequest(provider, apiKey, path),
      method: 'GET',
      // The operator has set this address, and models on a private network are common.
      privateOrigin: provider.provider === 'openai-compatible' ? originOf(provider) : undefined,
      timeoutMs: LIST_MS,
      maxResponseBytes: LIST_BYTES,
    });
  try {
    const refused = preset?.keyPath && findRefusal(provider.name, await ask(preset.keyPath));
    if (refused) return refused;
    const answer = await ask();
    const models = answer.status === 200 ? readModelList(provider.provider, jsonOf(decode(answer.body))) : undefined;
    if (models)
      return { state: 'works', models: models.filter(({ id }) => !preset?.unusable?.test(id)), problem: null };
    return findRefusal(provider.name, answer) ?? describeAnswer(provider.name, answer.status);
  } catch (error) {
    if (error instanceof EgressFailed || error instanceof EgressRefused)
      return failed('unreachable', `${provider.name} does not answer. ${error.message}`);
    throw error;
  }
}

const failed = (state: ProviderAnswer['state'], problem: string): ProviderAnswer => ({ state, models: [], problem });

/** Google and xAI answer a wrong key with 400. */
function findRefusal(name: string, { status, body }: EgressAnswer): ProviderAnswer | undefined {
  const isRefused = status === 401 || status === 403 || (status === 400 && /api.?key/i.test(decode(body)));
  return isRefused ? failed('key_refused', `${name} refused the key (${status}). Check the key.`) : undefined;
}

function describeAnswer(name: string, status: number): ProviderAnswer {
  if (status >= 500) return failed('unreachable', `${name} answered ${status}. Try again later.`);
  if (status === 200) return failed('no_list', `The answer of ${name} is not a list of models. Add models by name.`);
  if (status === 404)
    return failed(
      'no_list',
      `${name} has no list of models at this address (404). Check the address, or add models by name.`,
    );
  return failed(
    'no_list',
    `${name} answered ${status} instead of a list of models. Try again later, or add models by name.`,
  );
}

const decode = (body: Uint8Array) => new TextDecoder().decode(body);
