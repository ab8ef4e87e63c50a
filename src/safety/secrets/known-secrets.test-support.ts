import type { KnownSecrets } from '../rule.ts';

export function knowing(secrets: Readonly<Record<string, string>> = {}): KnownSecrets {
  return { values: new Map(Object.entries(secrets)) };
}
