import type { ToolAuth } from '../../auth/tool-auth.ts';
import type { AllowedTarget, Capabilities, Credential, CredentialLocation } from './capabilities.ts';

/** What a person consents to who installs the tool: sentences that go on from its name. */
export function describeCapabilities(capabilities: Capabilities): string[] {
  const { http, secrets, auth, setup, limits } = capabilities;
  const targets = http.allowlist.filter(({ methods }) => methods.length > 0);
  return [
    ...(targets.length === 0 ? ['can reach nothing'] : targets.map(describeTarget)),
    ...(targets.length === 0 ? [] : [describeRate(http.rateLimit)]),
    ...http.credentials.map(describeCredential),
    ...secrets.allowedNames.map((name) => `may ask whether the secret ${name} exists`),
    ...(auth ? describeAuth(auth) : []),
    ...setup.requiredSecrets.map(({ name, optional }) => `${optional ? 'can use' : 'needs'} the secret ${name}`),
    `may take ${limits.memoryMb} MiB of memory, ${limits.cpuSecs} s of computing and ${limits.wallSecs} s in all for a call`,
  ];
}

function describeTarget({ host, pathPrefix, methods }: AllowedTarget): string {
  const below = host.startsWith('*.') ? ` (every host below ${host.slice(2)})` : '';
  return `may ${joinWords([...new Set(methods)])} ${host}${showPath(pathPrefix)}${below}`;
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

/** An environment variable is named in full: it may be one that was never meant for this tool. */
function describeAuth({ secretName, envVar, oauth }: ToolAuth): string[] {
  const variables = [oauth?.clientIdEnv, oauth?.clientSecretEnv].filter((name) => name !== undefined);
  return [
    ...(envVar ? [`takes the secret ${secretName} from the environment variable ${envVar} when that is set`] : []),
    ...(oauth ? [`signs in at ${new URL(oauth.authorizationUrl).host}${describeScopes(oauth.scopes)}`] : []),
    ...(oauth ? [`gets its access token from ${new URL(oauth.tokenUrl).host}`] : []),
    ...variables.map((name) => `reads the environment variable ${name} to sign in`),
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
