import type { ToolAuth } from '../../auth/tool-auth.ts';
import {
  type AllowedTarget,
  type Capabilities,
  type Credential,
  type CredentialLocation,
  isReading,
} from './capabilities.ts';

export type CapabilitySentence = {
  /** Continues a sentence that begins with the tool's name. */
  readonly text: string;
  /** The tool can change something outside the service, or uses a secret: a person should look twice. */
  readonly dangerous: boolean;
};

const harmless = (text: string): CapabilitySentence => ({ text, dangerous: false });
const dangerous = (text: string): CapabilitySentence => ({ text, dangerous: true });

/** What a person agrees to by installing the tool. */
export function describeCapabilities(capabilities: Capabilities): CapabilitySentence[] {
  const { http, secrets, auth, setup, limits } = capabilities;
  const targets = http.allowlist.filter(({ methods }) => methods.length > 0);
  return [
    ...(targets.length === 0 ? [harmless('can reach nothing')] : targets.map(describeTarget)),
    ...(targets.length === 0 ? [] : [harmless(describeRate(http.rateLimit))]),
    ...http.credentials.map(describeCredential).map(dangerous),
    ...secrets.allowedNames.map((name) => harmless(`may ask whether the secret ${name} exists`)),
    ...(auth ? describeAuth(auth) : []),
    ...setup.requiredSecrets.map(({ name, optional }) =>
      harmless(`${optional ? 'can use' : 'needs'} the secret ${name}`),
    ),
    harmless(
      `may take ${limits.memoryMb} MiB of memory, ${limits.cpuSecs} s of computing and ${limits.wallSecs} s in all for a call`,
    ),
  ];
}

function describeTarget({ host, pathPrefix, methods }: AllowedTarget): CapabilitySentence {
  const below = host.startsWith('*.') ? ` (every host below ${host.slice(2)})` : '';
  return {
    text: `may ${joinWords([...new Set(methods)])} ${host}${showPath(pathPrefix)}${below}`,
    dangerous: !methods.every(isReading),
  };
}

function describeRate({ requestsPerMinute, requestsPerHour }: Capabilities['http']['rateLimit']): string {
  const [minute, hour] = [requestsPerMinute, requestsPerHour].map((limit) => limit.toLocaleString('en-US'));
  return `makes at most ${minute} requests a minute and ${hour} an hour`;
}

function describeCredential({ secretName, location, hostPatterns }: Credential): string {
  return `sends the secret ${secretName} ${describeLocation(location)} to ${joinWords(hostPatterns)}`;
}

function describeLocation(location: CredentialLocation): string {
  switch (location.type) {
    case 'bearer':
      return 'as a bearer token';
    case 'header':
      return `in the header ${location.name}`;
    case 'query_param':
      return `in the query parameter ${location.name}`;
    case 'url_path':
      return `in the path, in place of {${location.placeholder}},`;
    case 'basic':
      return `as the password of ${location.username || 'a user without a name'}`;
  }
}

/** Environment variables are named in full: any may hold something that was never meant for this tool. */
function describeAuth({ secretName, envVar, oauth }: ToolAuth): CapabilitySentence[] {
  const variables = [oauth?.clientIdEnv, oauth?.clientSecretEnv].filter((name) => name !== undefined);
  return [
    ...(envVar
      ? [dangerous(`takes the secret ${secretName} from the environment variable ${envVar} when that is set`)]
      : []),
    ...(oauth ? [harmless(`signs in at ${new URL(oauth.authorizationUrl).host}${describeScopes(oauth.scopes)}`)] : []),
    ...(oauth ? [harmless(`gets its access token from ${new URL(oauth.tokenUrl).host}`)] : []),
    ...variables.map((name) => dangerous(`reads the environment variable ${name} to sign in`)),
  ];
}

function describeScopes(scopes: readonly string[]): string {
  return scopes.length === 0 ? '' : ` for ${joinWords(scopes)}`;
}

function joinWords(words: readonly string[]): string {
  const last = words.at(-1) ?? '';
  return words.length < 2 ? last : `${words.slice(0, -1).join(', ')} and ${last}`;
}

/** Braces come out of a URL encoded; a placeholder is shown as it was written. */
function showPath(path: string): string {
  return path.replaceAll('%7B', '{').replaceAll('%7D', '}');
}
