import type { KnownSecrets } from './rule.ts';
import { createSecretSearch } from './secret-search.ts';

export function knowing(secrets: Readonly<Record<string, string>> = {}): KnownSecrets {
  const values = new Map(Object.entries(secrets));
  return { values, search: createSecretSearch(values) };
}
