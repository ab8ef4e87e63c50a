import { Conflict } from '#domain/errors.ts';
import type { Principal } from '#domain/principal.ts';
import type { McpServer } from '#domain/tool/mcp-server.ts';
import { audited } from '#store/audit.ts';
import { type Owner, withOwner } from '#store/connection.ts';
import { acceptMcpTools, deleteMcpServer } from '#store/tools/mcp-servers.ts';
import type { AuthorizationAnswer } from '#tools/auth/authorization-server.ts';
import type { McpServerRequest } from '#tools/mcp/check-server.ts';
import { refreshMcpServer } from '#tools/mcp/mcp-tools.ts';
import { headerSecret, holderOf } from '#tools/mcp/server-headers.ts';
import { addServer } from './add-server.ts';
import {
  getOwned,
  getServer,
  type ListedMcpServer,
  listServers,
  type McpSignInState,
  signInState,
} from './list-servers.ts';
import { limitRequests, type McpAdminParts, type McpHolder, noServer, ownerFor } from './mcp-access.ts';
import { beginSignIn, finishSignIn } from './sign-in-to-server.ts';

/** Manages MCP servers: users add their own, operators also add servers for everyone. */
export type McpAdmin = {
  /** The caller's servers or, for an operator, another user's, and everyone's. */
  list(principal: Principal, user?: Owner): Promise<ListedMcpServer[]>;
  /** The server that the agent uses under this name, or the one of that holder. */
  get(principal: Principal, name: string, holder?: McpHolder): Promise<ListedMcpServer>;
  getOwned(actor: Principal, name: string, holder: McpHolder): Promise<McpServer>;

  /** Connects to the server, lists its tools, and stores both. The tools count as reviewed by the caller. */
  add(actor: Principal, request: McpServerRequest, holder: McpHolder): Promise<McpServer>;
  /** Lists the tools again. New and changed ones need a review. */
  refresh(actor: Principal, name: string, holder: McpHolder): Promise<McpServer>;
  /** Accepts the tools as they were listed at `listedAt`. */
  accept(actor: Principal, name: string, holder: McpHolder, listedAt: Date): Promise<McpServer>;
  remove(actor: Principal, name: string, holder: McpHolder): Promise<void>;

  signInState(server: McpServer, who: Owner): Promise<McpSignInState>;
  /**
   * Starts a sign-in to a server, of the caller or, as an operator, of a user or for everyone who has none. Returns the
   * address for the browser.
   */
  beginSignIn(actor: Principal, name: string, holder: McpHolder, redirectUri: string): Promise<string>;
  /** Takes what the provider sent back, and lists the tools. */
  finishSignIn(
    actor: Principal,
    answer: AuthorizationAnswer & { readonly state: string },
    holder: McpHolder,
  ): Promise<McpServer>;
};

export function createMcpAdmin(parts: McpAdminParts): McpAdmin {
  const { db, network } = parts;
  return {
    list: (principal, user) => listServers(parts, principal, user),
    get: (principal, name, holder) => getServer(parts, principal, name, holder),
    getOwned: (actor, name, holder) => getOwned(db, actor, name, holder),
    async add(actor, request, holder) {
      await addServer(parts, actor, request, holder);
      parts.onChange?.();
      return getOwned(db, actor, request.name, holder);
    },
    async refresh(actor, name, holder) {
      const server = await getOwned(db, actor, name, holder);
      await limitRequests(parts, actor);
      await refreshMcpServer(db, server, network, { asker: actor });
      parts.onChange?.();
      return getOwned(db, actor, name, holder);
    },
    async accept(actor, name, holder, listedAt) {
      await acceptTools(parts, actor, await getOwned(db, actor, name, holder), listedAt);
      parts.onChange?.();
      return getOwned(db, actor, name, holder);
    },
    async remove(actor, name, holder) {
      await removeServer(parts, actor, name, ownerFor(actor, holder));
      parts.onChange?.();
    },
    signInState: (server, who) => signInState(network, server, who),
    beginSignIn: (actor, name, holder, redirectUri) => beginSignIn(parts, actor, name, holder, redirectUri),
    finishSignIn: (actor, answer, holder) => finishSignIn(parts, actor, answer, holder),
  };
}

async function acceptTools({ db }: McpAdminParts, actor: Principal, server: McpServer, listedAt: Date): Promise<void> {
  const { name, userId } = server;
  const entry = { actor: actor.userId, action: 'mcp.accept', subject: name, detail: { for: userId } };
  const accepted = await withOwner(db, { userId }, (trx) =>
    audited(
      trx,
      (writing) => acceptMcpTools(writing, { userId }, { ...server, listedAt }),
      (done) => (done ? entry : 'no right changed'),
    ),
  );
  if (!accepted)
    throw new Conflict('already_exists', `The tools of "${name}" were listed again since. Look at them again.`);
}

async function removeServer(
  { secrets, network }: McpAdminParts,
  actor: Principal,
  name: string,
  owner: Owner,
): Promise<void> {
  await secrets.inVault(holderOf(owner.userId), async (vault, trx) => {
    const entry = { actor: actor.userId, action: 'mcp.remove', subject: name, detail: { for: owner.userId } };
    const removed = await audited(
      trx,
      (writing) => deleteMcpServer(writing, owner, name),
      (done) => (done ? entry : 'no right changed'),
    );
    if (!removed) throw noServer(name);
    await network.local?.end(removed.id);
    for (const header of removed.headers) {
      const secret = headerSecret(name, header.name);
      const change = { action: 'secret.remove', name: secret, actor: actor.userId } as const;
      await vault.change((writer) => writer.remove(secret), change);
    }
  });
}
