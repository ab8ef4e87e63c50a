import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { type CatalogueServer, parseCatalogue } from '#agent/administration/mcp/catalogue/catalogue.ts';
import { printLine, printTable } from '#cli/print.ts';
import { createEgress } from '#egress/egress.ts';
import type { EgressRequest } from '#egress/exchange.ts';
import { discoverOAuth } from '#tools/auth/discover-oauth.ts';
import { registerClient } from '#tools/auth/register-client.ts';
import { listMcpTools } from '#tools/mcp/mcp-client.ts';
import { McpFailure } from '#tools/mcp/mcp-failure.ts';

/*
 * Asks every server of the list what a person's first minute with it would ask, with the service's own code: the first
 * messages of the protocol, where one signs in, and to register a client. It needs the internet, and no account. With
 * `--write`, the day is stored in the list for each entry that passes, and removed from the others.
 */
const { values: options } = parseArgs({
  options: {
    write: { type: 'boolean', default: false },
    list: { type: 'string', default: path.join('src', 'agent/administration/mcp/catalogue/catalogue.json') },
    'private-network': { type: 'boolean', default: false },
  },
});

const REDIRECT = 'http://127.0.0.1/callback';

type Found = { readonly first: string; readonly metadata: string; readonly client: string; readonly passes: boolean };

const egress = createEgress();
const catalogue = parseCatalogue(JSON.parse(await readFile(options.list, 'utf8')));
const checked = await Promise.all(catalogue.map(async (server) => ({ server, found: await check(server) })));
await egress.close();

printTable([
  ['id', 'sign-in', 'first messages', 'where to sign in', 'client', 'result'],
  ...checked.map(({ server, found }) => [
    server.id,
    server.auth,
    found.first,
    found.metadata,
    found.client,
    found.passes ? 'passes' : 'FAILS',
  ]),
]);
const failed = checked.filter(({ found }) => !found.passes);
printLine(`${checked.length - failed.length} of ${checked.length} pass.`);
if (options.write) await store();
process.exitCode = failed.length === 0 ? 0 : 1;

async function check(server: CatalogueServer): Promise<Found> {
  const { id: name, url, auth } = server;
  const endpoint = { name, url, privateNetwork: options['private-network'], headers: {} };
  try {
    const { tools, discovery } = await listMcpTools({ egress, version: 'check' }, endpoint, []);
    const first = `MCP ${discovery.version}, ${tools.length} tools`;
    return { first, metadata: '', client: '', passes: auth === 'open' };
  } catch (error) {
    if (!(error instanceof McpFailure)) throw error;
    const found = await checkSignIn(server, error);
    const asksForKey = error.reason !== 'unreachable';
    return { first: error.message, ...found, passes: auth === 'token' ? asksForKey : auth === 'oauth' && found.passes };
  }
}

/** Where the server sends people to sign in, and whether a client can register there by itself. */
async function checkSignIn({ url, auth, own_client: isByHand }: CatalogueServer, { challenge }: McpFailure) {
  if (!challenge) return { metadata: '', client: '', passes: false };
  const { origin, port } = new URL(url);
  const reach = {
    ...(port !== '' && { namedPort: Number(port) }),
    ...(options['private-network'] && { privateOrigin: origin }),
  };
  const network = { send: (request: EgressRequest) => egress.send(request), reach };
  const discovered = await discoverOAuth(network, url, challenge).catch(toError);
  if (discovered instanceof Error) return { metadata: discovered.message, client: '', passes: false };
  const metadata = discovered.issuer;
  if (auth !== 'oauth') return { metadata, client: '', passes: false };
  if (isByHand) return { metadata, client: 'by hand', passes: true };
  const client = await registerClient(network, discovered, REDIRECT).catch(toError);
  if (client instanceof Error) return { metadata, client: client.message, passes: false };
  return { metadata, client: 'registered', passes: true };
}

/** A failure is a cell of the table. */
function toError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}

async function store(): Promise<void> {
  const today = new Date().toISOString().slice(0, 10);
  const list = checked.map(({ server, found }) => ({ ...server, checked_on: found.passes ? today : null }));
  await writeFile(options.list, `${JSON.stringify(list, null, 2)}\n`);
}
