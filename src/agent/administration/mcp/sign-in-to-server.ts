import { InvalidRequest } from '#domain/errors.ts';
import { type Principal, requireOperator } from '#domain/principal.ts';
import type { McpServer } from '#domain/tool/mcp-server.ts';
import type { Owner } from '#store/connection.ts';
import type { AuthorizationAnswer } from '#tools/auth/authorization-server.ts';
import { refreshMcpServer } from '#tools/mcp/mcp-tools.ts';
import { getServer, listServers } from './list-servers.ts';
import { limitRequests, type McpAdminParts, type McpHolder, orExplain } from './mcp-access.ts';

/** Returns the address for the browser. The state of the sign-in names the server and the holder. */
export async function beginSignIn(
  parts: McpAdminParts,
  actor: Principal,
  name: string,
  holder: McpHolder,
  redirectUri: string,
): Promise<string> {
  checkSignIn(actor, holder);
  const server = await getServer(parts, actor, name, undefined, userOf(actor, holder));
  await limitRequests(parts, actor);
  const label = `mcp:${server.id}:${holder === 'everyone' ? 'everyone' : 'me'}`;
  const { signIn, network } = parts;
  return orExplain(async () => signIn.begin(holder, network.tokens.target(server, label), redirectUri), null);
}

/** Takes what the provider sent back, and lists the tools. Unknown and foreign states look alike. */
export async function finishSignIn(
  parts: McpAdminParts,
  actor: Principal,
  answer: AuthorizationAnswer & { readonly state: string },
  asked: McpHolder,
): Promise<McpServer> {
  const [, id, whose] = /^mcp:([\w-]{1,64}):(me|everyone)\./.exec(answer.state) ?? [];
  const holder = whose === 'everyone' ? 'everyone' : asked;
  checkSignIn(actor, holder);
  const user = userOf(actor, holder);
  const server = (await listServers(parts, actor, user)).find((each) => each.id === id);
  if (!server) throw new InvalidRequest('invalid_request', 'state', 'This sign-in is over, or was started elsewhere.');
  const target = parts.network.tokens.target(server, '');
  await orExplain(async () => parts.signIn.finish(holder, target, answer, actor.userId), null);
  await refreshMcpServer(parts.db, server, parts.network, { asker: user }); // it may be the first list
  parts.onChange?.();
  return server;
}

/** A user signs in to their own server of a name, or to everyone's. */
const userOf = (actor: Principal, holder: McpHolder): Owner => (holder === 'everyone' ? actor : holder);

/** A person signs in for themselves. An operator can also do so for everyone. */
function checkSignIn(actor: Principal, holder: McpHolder): void {
  if (holder === 'everyone' || holder.userId !== actor.userId) requireOperator(actor);
}
