import { z } from 'zod';
import { AuthFailure } from './auth-failure.ts';
import type { OAuthClient } from './oauth-client.ts';

/** Where tokens come from, as whom we ask for them, and for which resource. */
export type TokenSource = {
  readonly tokenUrl: string;
  readonly client: OAuthClient;
  readonly resource?: string | undefined;
  readonly reach?: Reach | undefined;
};

/** Addresses that egress allows besides public hosts at port 443. Without it, the port of the address itself is allowed. */
export type Reach = { readonly namedPort?: number | undefined; readonly privateOrigin?: string | undefined };

/** An authorization server, as needed for one sign-in. */
export type AuthorizationServer = TokenSource & {
  readonly authorizationUrl: string;
  readonly scopes: readonly string[];
  /** Known when the server was discovered. `isNamed`: its answers must name it. */
  readonly issuer?: { readonly url: string; readonly isNamed: boolean } | undefined;
};

/** What a browser brings back from the authorization server. */
export type AuthorizationAnswer = { readonly code: string; readonly iss?: string | undefined };

/** Refuses the answer of another authorization server: its code must not be shown to ours, nor ours to it. */
export function checkIssuer({ issuer }: Pick<AuthorizationServer, 'issuer'>, { iss }: AuthorizationAnswer): void {
  if (!issuer || (iss === undefined && !issuer.isNamed) || iss === issuer.url) return;
  throw new AuthFailure('The answer comes from another authorization server than the sign-in. Start it again.');
}

/** For storing a token source together with what it was used for. */
export const tokenSourceFields = {
  tokenUrl: z.string(),
  client: z.object({ id: z.string(), secret: z.string().optional() }),
  resource: z.string().optional(),
  reach: z.object({ namedPort: z.number().optional(), privateOrigin: z.string().optional() }).optional(),
};
