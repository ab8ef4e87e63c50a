import { type Address, BASE_URLS, isSameAddress } from './bound-keys.ts';
import type { ModelProvider } from './model-route.ts';

/** A provider whose models can be added with its key alone. */
export type ProviderPreset = {
  readonly name: string;
  readonly title: string;
  readonly provider: Exclude<ModelProvider, 'demo'>;
  /** Where its API is. A part in capitals, such as RESOURCE, is the operator's to fill in. */
  readonly baseUrl: string;
  /** Whether the address is the same for everyone. */
  readonly isFixed: boolean;
  readonly needsKey: boolean;
  /** Where a person gets a key. */
  readonly keyPage: string | null;
  /** The model to begin with; of several that match, the one with the highest version. */
  readonly recommended?: RegExp;
  /** A path that only a working key can read, if the list of models is public. */
  readonly keyPath?: string;
  /** Models of its list that do not answer at this address. */
  readonly unusable?: RegExp;
};

const fixed = { isFixed: true, needsKey: true } as const;

/** In the order of the page that offers them. */
export const PROVIDER_PRESETS: readonly ProviderPreset[] = [
  {
    ...fixed,
    name: 'openai',
    title: 'OpenAI',
    provider: 'openai',
    baseUrl: BASE_URLS.openai,
    keyPage: 'https://platform.openai.com/api-keys',
    recommended: /^gpt-[\d.]+(-sol)?$/,
  },
  {
    ...fixed,
    name: 'anthropic',
    title: 'Anthropic',
    provider: 'anthropic',
    baseUrl: BASE_URLS.anthropic,
    keyPage: 'https://console.anthropic.com/settings/keys',
    recommended: /^claude-sonnet-\d/,
  },
  {
    ...fixed,
    name: 'google',
    title: 'Google',
    provider: 'google',
    baseUrl: BASE_URLS.google,
    keyPage: 'https://aistudio.google.com/apikey',
    recommended: /^gemini-[\d.]+-flash$/,
  },
  {
    ...fixed,
    name: 'mistral',
    title: 'Mistral',
    provider: 'openai-compatible',
    baseUrl: 'https://api.mistral.ai/v1',
    keyPage: 'https://console.mistral.ai/api-keys',
    recommended: /^mistral-medium-latest$/,
  },
  {
    ...fixed,
    name: 'groq',
    title: 'Groq',
    provider: 'openai-compatible',
    baseUrl: 'https://api.groq.com/openai/v1',
    keyPage: 'https://console.groq.com/keys',
    recommended: /^openai\/gpt-oss-120b$/,
  },
  {
    ...fixed,
    name: 'openrouter',
    title: 'OpenRouter',
    provider: 'openai-compatible',
    baseUrl: 'https://openrouter.ai/api/v1',
    keyPage: 'https://openrouter.ai/settings/keys',
    recommended: /^anthropic\/claude-sonnet-[\d.]+$/,
    keyPath: 'key',
  },
  {
    ...fixed,
    name: 'deepseek',
    title: 'DeepSeek',
    provider: 'openai-compatible',
    baseUrl: 'https://api.deepseek.com',
    keyPage: 'https://platform.deepseek.com/api_keys',
    recommended: /^deepseek-(chat|v\d+-flash)$/,
  },
  {
    ...fixed,
    name: 'xai',
    title: 'xAI',
    provider: 'openai-compatible',
    baseUrl: 'https://api.x.ai/v1',
    keyPage: 'https://console.x.ai',
    recommended: /^grok-\d+(\.\d)?$/,
  },
  {
    name: 'azure',
    title: 'Azure',
    provider: 'openai',
    baseUrl: 'https://RESOURCE.openai.azure.com/openai/v1',
    isFixed: false,
    needsKey: true,
    keyPage: 'https://ai.azure.com',
    // A deployment has its own name, and the list has the models that could be deployed.
    unusable: /./,
  },
  {
    name: 'bedrock',
    title: 'Bedrock',
    provider: 'openai-compatible',
    baseUrl: 'https://bedrock-mantle.REGION.api.aws/v1',
    isFixed: false,
    needsKey: true,
    keyPage: 'https://console.aws.amazon.com/bedrock/home#/api-keys',
    recommended: /^openai\.gpt-oss-120b$/,
    // Models of Anthropic answer only in the form of Anthropic's own API there.
    unusable: /^anthropic\./,
  },
  {
    name: 'ollama',
    title: 'Ollama',
    provider: 'openai-compatible',
    baseUrl: 'http://localhost:11434/v1',
    isFixed: false,
    needsKey: false,
    keyPage: null,
  },
];

/** The preset of a provider: one with its address, or with its name if each installation has another address. */
export const presetOf = (provider: Address & { readonly name: string }): ProviderPreset | undefined =>
  PROVIDER_PRESETS.find((preset) =>
    preset.isFixed
      ? isSameAddress(preset, provider)
      : preset.name === provider.name && preset.provider === provider.provider,
  );

/** The model to switch on with a new provider: the recommended one, or the only one. */
export function recommendedOf(preset: ProviderPreset | undefined, ids: readonly string[]): string | undefined {
  if (ids.length === 1) return ids[0];
  const pattern = preset?.recommended;
  return (
    pattern &&
    ids
      .filter((id) => pattern.test(id))
      .toSorted(byVersion)
      .at(-1)
  );
}

const { compare } = new Intl.Collator('en', { numeric: true });
const byVersion = (one: string, other: string) => compare(withoutDate(one), withoutDate(other));
const withoutDate = (id: string) => id.replace(/-\d{8}$/, '');
