import { InvalidRequest, NotFound } from '#domain/errors.ts';
import type { Principal } from '#domain/principal.ts';
import type { McpPrompt, McpServer } from '#domain/tool/mcp-server.ts';
import { withOwner } from '#store/connection.ts';
import { EVERYONE, findMcpServer } from '#store/tools/mcp-servers.ts';
import type { ServerEndpoint } from '#tools/mcp/call-server.ts';
import {
  getPromptText,
  listResources,
  type McpContent,
  type McpResource,
  readResource,
} from '#tools/mcp/offers/server-offers.ts';
import { programOf } from '#tools/mcp/with-client.ts';
import { limitRequests, type McpAdminParts, noServer, orExplain } from './mcp-access.ts';

export type McpOfferReader = ReturnType<typeof createMcpOffers>;

/** Reads the resources and prompts of MCP servers for a person, with that person's keys. */
export function createMcpOffers(parts: Pick<McpAdminParts, 'db' | 'network' | 'takeUse'>) {
  const { db, network } = parts;

  /** Asks the server that the agent uses under this name. */
  async function ask<T>(
    principal: Principal,
    name: string,
    act: (endpoint: ServerEndpoint, server: McpServer) => Promise<T>,
  ): Promise<T> {
    const find = (owner: Pick<Principal, 'userId'>) => withOwner(db, owner, (trx) => findMcpServer(trx, owner, name));
    const server = (await find(EVERYONE)) ?? (await find(principal));
    if (!server) throw noServer(name);
    await limitRequests(parts, principal);
    const { headers } = await network.headers.read(server);
    const endpoint = {
      ...server,
      headers,
      tokens: network.tokens.of(server, principal),
      program: programOf(server),
    };
    return orExplain(() => act(endpoint, server), null);
  }

  return {
    listResources: (principal: Principal, name: string): Promise<McpResource[]> =>
      ask(principal, name, (endpoint) => listResources(network, endpoint)),

    readResource: (principal: Principal, name: string, uri: string): Promise<McpContent[]> =>
      ask(principal, name, (endpoint) => readResource(network, endpoint, uri)),

    /** The text that a server writes for a prompt. A person reads it before it is sent. */
    readPrompt: (principal: Principal, name: string, prompt: string, given: Record<string, string>): Promise<string> =>
      ask(principal, name, async (endpoint, { offers }) => {
        const found = offers.prompts.find((each) => each.name === prompt);
        if (!found) throw new NotFound(`${name} has no prompt "${prompt.slice(0, 64)}".`);
        checkArguments(found, given);
        return getPromptText(network, endpoint, { name: prompt, arguments: given });
      }),
  };
}

function checkArguments(prompt: McpPrompt, given: Readonly<Record<string, string>>): void {
  const missing = prompt.arguments.find(({ name, required }) => required && !given[name]);
  if (missing) throw invalid(`The argument ${missing.name} is missing.`);
  const unknown = Object.keys(given).find((name) => prompt.arguments.every((each) => each.name !== name));
  if (unknown !== undefined) throw invalid(`The prompt has no argument "${unknown.slice(0, 64)}".`);
}

const invalid = (message: string) => new InvalidRequest('invalid_request', 'arguments', message);
