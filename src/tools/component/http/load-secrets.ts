import type { Capabilities } from '../capabilities/capabilities.ts';
import type { Secrets } from './credentials.ts';

/** The secrets that a tool's capabilities name, whether it sends them or not: none may come back to it. An empty one is none. */
export async function loadSecrets(
  capabilities: Capabilities,
  secretFor: (name: string) => Promise<string | undefined>,
): Promise<Secrets> {
  const found = await Promise.all(
    [...secretNames(capabilities)].map(async (name) => [name, await secretFor(name)] as const),
  );
  const { requiredSecrets } = capabilities.setup;
  return {
    values: new Map(found.flatMap(([name, value]) => (value ? [[name, value]] : []))),
    optional: new Set(requiredSecrets.filter(({ optional }) => optional).map(({ name }) => name)),
  };
}

function secretNames({ http, secrets, auth, setup }: Capabilities): Set<string> {
  const names = [
    ...http.credentials.map(({ secretName }) => secretName),
    ...secrets.allowedNames,
    ...setup.requiredSecrets.map(({ name }) => name),
    auth?.secretName,
    auth?.oauth?.clientIdSecret,
    auth?.oauth?.clientSecretSecret,
  ];
  return new Set(names.filter((name) => name !== undefined));
}
