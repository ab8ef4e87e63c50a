import { z } from 'zod';
import { type Address, baseUrlOf } from './bound-keys.ts';
import type { ModelRoute } from './model-route.ts';

/** A model as its provider lists it. */
export type ListedModel = {
  readonly id: string;
  readonly contextTokens: number | null;
  /** What it can read besides text; null when the provider does not say. */
  readonly reads: NonNullable<ModelRoute['reads']> | null;
};

export type ListRequest = { readonly url: string; readonly headers: Readonly<Record<string, string>> };

const MOST = 1000;
const LONGEST_ID = 256;

/** The request that lists the models of a provider, or reads another path of its API. */
export function listRequest(address: Address, apiKey: string | undefined, path = 'models'): ListRequest {
  const { provider } = address;
  const base = (baseUrlOf(address) ?? '').replace(/\/+$/, '');
  const accept = { accept: 'application/json', 'user-agent': 'reborn' };
  const keyed = (headers: Record<string, string>) => (apiKey === undefined ? accept : { ...accept, ...headers });
  if (provider === 'anthropic')
    return {
      url: `${base}/models?limit=${MOST}`,
      headers: { ...keyed({ 'x-api-key': apiKey ?? '' }), 'anthropic-version': '2023-06-01' },
    };
  if (provider === 'google')
    return { url: `${base}/models?pageSize=${MOST}`, headers: keyed({ 'x-goog-api-key': apiKey ?? '' }) };
  return { url: `${base}/${path}`, headers: keyed({ authorization: `Bearer ${apiKey}` }) };
}

/** The models in a provider's answer, by name. Entries that can't be used are left out; undefined if it is not a list. */
export function readModelList(provider: ModelRoute['provider'], answer: unknown): ListedModel[] | undefined {
  const entries =
    provider === 'google' ? z.object({ models: z.array(z.unknown()) }) : z.object({ data: z.array(z.unknown()) });
  const list = entries.safeParse(answer);
  if (!list.success) return undefined;
  const found = new Map<string, ListedModel>();
  for (const entry of Object.values(list.data).flat()) {
    const model = provider === 'google' ? readGoogle(entry) : readOther(entry);
    if (model && isUsable(model.id) && found.size < MOST) found.set(model.id, model);
  }
  return [...found.values()].toSorted((one, other) => one.id.localeCompare(other.id, 'en'));
}

const tokens = z.int().min(1).max(100_000_000).optional().catch(undefined);

const googleModel = z.object({
  name: z.string(),
  inputTokenLimit: tokens,
  supportedGenerationMethods: z.array(z.string()).catch(['generateContent']),
});

function readGoogle(entry: unknown): ListedModel | undefined {
  const { success, data } = googleModel.safeParse(entry);
  if (!success || !data.supportedGenerationMethods.includes('generateContent')) return undefined;
  return { id: data.name.replace(/^models\//, ''), contextTokens: data.inputTokenLimit ?? null, reads: null };
}

/** Servers with OpenAI's API name the context size in different ways. */
const otherModel = z.object({
  id: z.string(),
  context_length: tokens,
  context_window: tokens,
  max_context_length: tokens,
  max_model_len: tokens,
  max_input_tokens: tokens,
  architecture: z
    .object({ input_modalities: z.array(z.string()) })
    .optional()
    .catch(undefined),
  capabilities: z.object({ vision: z.boolean() }).optional().catch(undefined),
});

function readOther(entry: unknown): ListedModel | undefined {
  const { success, data } = otherModel.safeParse(entry);
  if (!success) return undefined;
  const size = [
    data.context_length,
    data.context_window,
    data.max_context_length,
    data.max_model_len,
    data.max_input_tokens,
  ];
  return { id: data.id, contextTokens: size.find((given) => given !== undefined) ?? null, reads: readsOf(data) };
}

function readsOf({ architecture, capabilities }: z.infer<typeof otherModel>): ListedModel['reads'] {
  const kinds = architecture?.input_modalities;
  if (kinds)
    return [
      ...(kinds.includes('image') ? (['image'] as const) : []),
      ...(kinds.includes('file') ? (['pdf'] as const) : []),
    ];
  return capabilities ? (capabilities.vision ? ['image'] : []) : null;
}

function isUsable(id: string): boolean {
  return (
    id !== '' && id.length <= LONGEST_ID && id.isWellFormed() && !/[\s\p{Cc}\p{Cf}]/u.test(id) && !NOT_FOR_CHAT.test(id)
  );
}

/** Models that answer with something other than text. */
const NOT_FOR_CHAT =
  /^(tts-|whisper|dall-e|gpt-image|sora|omni-moderation|davinci|babbage)|embed|(-realtime|-audio|-transcribe|-tts)/;
