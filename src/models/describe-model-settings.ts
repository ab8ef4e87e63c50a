import { DEMO_MODEL } from '#domain/joining-replica.ts';
import type { ModelRoute } from './model-route.ts';

/** The settings that select the model, as text that replicas can compare. Contains no key and no password of a URL. */
export function describeModelSettings({ provider, name, baseUrl, contextTokens }: ModelRoute): string {
  if (provider === 'demo') return DEMO_MODEL;
  const at = baseUrl === undefined ? '' : ` at ${withoutCredentials(baseUrl)}`;
  const context = contextTokens === undefined ? '' : `, ${contextTokens} tokens of context`;
  return `${name} by ${provider}${at}${context}`;
}

function withoutCredentials(address: string): string {
  const { origin, pathname } = new URL(address);
  return origin + pathname.replace(/\/$/, '');
}
