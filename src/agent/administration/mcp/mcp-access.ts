import { InvalidRequest, NotFound, RateLimited } from '#domain/errors.ts';
import { type Principal, requireOperator } from '#domain/principal.ts';
import { EgressFailed, EgressRefused } from '#egress/egress-failure.ts';
import type { Database, Owner } from '#store/connection.ts';
import type { RateLimit, RateUse } from '#store/spending/rate-windows.ts';
import { EVERYONE } from '#store/tools/mcp-servers.ts';
import { AuthFailure } from '#tools/auth/auth-failure.ts';
import type { BrowserSignIn } from '#tools/auth/browser-sign-in.ts';
import type { McpHost } from '#tools/mcp/call-server.ts';
import { McpFailure } from '#tools/mcp/mcp-failure.ts';
import type { ServerTokens } from '#tools/mcp/server-tokens.ts';
import type { Secrets } from '#tools/secrets/secrets.ts';

export type McpAdminParts = {
  readonly db: Database;
  readonly secrets: Pick<Secrets, 'inVault'>;
  readonly network: Pick<McpHost, 'egress' | 'version' | 'headers' | 'local'> & { readonly tokens: ServerTokens };
  readonly signIn: Pick<BrowserSignIn, 'begin' | 'finish'>;
  readonly takeUse: (key: string, limit: RateLimit) => Promise<RateUse>;
  /** Called after each change. */
  readonly onChange?: () => void;
};

/** Whose server it is: a user's own, or everyone's, which only operators change. */
export type McpHolder = Owner | 'everyone';

/** Only operators change the servers of others. */
export function ownerFor(actor: Principal, holder: McpHolder): Owner {
  const owner = holder === 'everyone' ? EVERYONE : holder;
  if (owner.userId !== actor.userId) requireOperator(actor);
  return owner;
}

/** Each addition and refresh sends requests to an address that the caller chose. */
const RATE: RateLimit = { limit: 20, windowSeconds: 60 };

/** Counts a request to a server that the caller has chosen. */
export async function limitRequests({ takeUse }: Pick<McpAdminParts, 'takeUse'>, actor: Principal): Promise<void> {
  const { isAllowed, retryInSeconds } = await takeUse(`mcp-admin:${actor.userId}`, RATE);
  if (!isAllowed)
    throw new RateLimited(retryInSeconds, `Too many requests to MCP servers. Retry in ${retryInSeconds} s.`);
}

export const noServer = (name: string) => new NotFound(`The MCP server "${name.slice(0, 64)}" does not exist here.`);

/** Failures of a server are mistakes of the request that named it. */
export async function orExplain<T>(act: () => Promise<T>, param: string | null): Promise<T> {
  try {
    return await act();
  } catch (error) {
    const expected = [McpFailure, AuthFailure, EgressFailed, EgressRefused];
    if (error instanceof Error && expected.some((kind) => error instanceof kind))
      throw new InvalidRequest('invalid_request', param, error.message);
    throw error;
  }
}
