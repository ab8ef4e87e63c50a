import type { ToolCard } from '#domain/tool/call-card.ts';
import type { ToolAuth } from '../../auth/tool-auth.ts';

/** What a tool can reach and use: the checked capabilities file, with defaults filled in. */
export type Capabilities = {
  readonly version?: string;
  readonly witVersion?: string;
  readonly http: HttpGrant;
  readonly secrets: { readonly allowedNames: readonly string[] };
  readonly auth?: ToolAuth;
  readonly setup: { readonly requiredSecrets: readonly RequiredSecret[] };
  readonly limits: ToolLimits;
  /** How the calls of the tool read on the card of an approval. */
  readonly card?: ToolCard;
};

/** An empty allowlist means that the tool reaches nothing. */
export type HttpGrant = {
  readonly allowlist: readonly AllowedTarget[];
  readonly rateLimit: { readonly requestsPerMinute: number; readonly requestsPerHour: number };
  readonly timeoutSecs: number;
  readonly credentials: readonly Credential[];
};

export type AllowedTarget = {
  /** In lower case: a name, or `*.` and a name for all its subdomains. */
  readonly host: string;
  /** As a parsed URL spells it. */
  readonly pathPrefix: string;
  readonly methods: readonly Method[];
};

export const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const;
export type Method = (typeof METHODS)[number];

export type Credential = {
  readonly name: string;
  readonly secretName: string;
  readonly location: CredentialLocation;
  readonly hostPatterns: readonly string[];
};

export type CredentialLocation =
  | { readonly type: 'bearer' }
  | { readonly type: 'header'; readonly name: string; readonly prefix?: string }
  | { readonly type: 'query_param'; readonly name: string }
  | { readonly type: 'url_path'; readonly placeholder: string }
  | { readonly type: 'basic'; readonly username: string };

export type RequiredSecret = { readonly name: string; readonly prompt: string; readonly optional?: boolean };

export type ToolLimits = { readonly memoryMb: number; readonly cpuSecs: number; readonly wallSecs: number };

/** Whether a call can be repeated after a crash that hid its outcome: it can only read. */
export function isRepeatable(capabilities: Capabilities): boolean {
  return capabilities.http.allowlist.every(({ methods }) => methods.every(isReading));
}

/** Without a host it can send nothing, and without a secret it can't find out which ones are stored. */
export function reachesNothing({ http, secrets, auth }: Capabilities): boolean {
  return http.allowlist.length === 0 && secrets.allowedNames.length === 0 && !auth;
}

export function isReading(method: Method): boolean {
  return method === 'GET' || method === 'HEAD';
}
