import type { Client } from '@reborn-agent/client';
import type { McpCatalogue, McpServer, McpServerList } from '@reborn-agent/client/api';
import type { Command } from 'commander';
import { offeredName } from '#tools/mcp/clean-tools.ts';
import { askingSecrets } from '../ask-secret.ts';
import { withClient } from '../connect/with-client.ts';
import { printJson, printLine, printNotice, printTable } from '../print.ts';
import { serveMcp } from './mcp-serve.ts';
import { signIn } from './mcp-sign-in.ts';

type ForUser = { readonly user?: string };
type AddOptions = ForUser & {
  readonly header?: readonly string[];
  readonly env?: readonly string[];
  readonly privateNetwork?: true;
  readonly trustAnnotations?: true;
  readonly clientId?: string;
  readonly clientSecret?: true;
};

/** `reborn mcp`: servers whose tools the agent can call. */
export function addMcpCommands(program: Command): void {
  const mcp = program.command('mcp').description('Manage MCP servers: the agent can call their tools.');
  const user = ['--user <id>', 'for this user alone, such as me; for everyone, when left out'] as const;
  const name = ['<name>', 'its name'] as const;
  mcp
    .command('add')
    .argument('<name>', 'begins the names of its tools, such as github')
    .argument(
      '[address...]',
      'such as https://mcp.example.com/mcp; or, after --, a program and its arguments; not for a well-known server',
    )
    .option(...user)
    .option('--header <name...>', 'headers to send; each value is asked for, or read as a line from stdin')
    .option('--client-id <id>', "of a client that you registered with the server's authorization server")
    .option('--client-secret', 'the client has a secret: it is asked for, or read as a line from stdin')
    .option('--env <name...>', 'variables of the program; each value is asked for, or read as a line from stdin')
    .option('--private-network', 'allow its address although it is on a private network')
    .option(
      '--trust-annotations',
      'believe what the server says about its tools: reading needs no approval, harmless calls are repeated after a crash',
    )
    .description('Connect to a server, and add its tools on every replica.')
    .addHelpText(
      'after',
      '\nExamples:\n  reborn mcp add linear\n  reborn mcp add tracker https://mcp.example.com/mcp --header Authorization\n  reborn mcp add files -- npx -y @modelcontextprotocol/server-filesystem /srv/files',
    )
    .action(addServer);
  mcp
    .command('signin')
    .argument(...name)
    .option('--user <id>', 'as this user; for everyone who has not signed in, when left out')
    .description('Sign in to a server in a browser on this machine, and list its tools.')
    .addHelpText('after', '\nExample:\n  reborn mcp signin github --user ann')
    .action(signIn);
  mcp
    .command('serve')
    .description('Serve the agent to an MCP client over stdin and stdout.')
    .addHelpText('after', '\nExample:\n  reborn mcp serve')
    .action(serveMcp);
  mcp
    .command('list')
    .option('--user <id>', 'as this user sees them')
    .option('--json', 'print JSON')
    .description('List the servers.')
    .addHelpText('after', '\nExample:\n  reborn mcp list')
    .action(listServers);
  mcp
    .command('show')
    .argument(...name)
    .option(...user)
    .option('--refresh', 'list its tools again first')
    .option('--json', 'print JSON')
    .description('Show a server and its tools, with those that wait for a review.')
    .addHelpText('after', '\nExample:\n  reborn mcp show github --refresh')
    .action(showServer);
  mcp
    .command('accept')
    .argument(...name)
    .option(...user)
    .description('Accept the new and changed tools of a server, as `reborn mcp show` shows them.')
    .addHelpText('after', '\nExample:\n  reborn mcp accept github')
    .action(acceptTools);
  mcp
    .command('remove')
    .argument(...name)
    .option(...user)
    .description('Remove a server and its stored headers.')
    .addHelpText('after', '\nExample:\n  reborn mcp remove github')
    .action(removeServer);
}

function addServer(name: string, address: readonly string[], options: AddOptions): Promise<void> {
  return withClient(async (client) => {
    const known = address.length === 0 ? await getKnown(client, name, options) : undefined;
    const url = known?.url ?? address.find((word) => address.length === 1 && /^https?:\/\//i.test(word));
    const asked = (url === undefined ? options.env : options.header) ?? [];
    const { headers, clientSecret } = await askValues(asked, options.clientSecret ?? false, known?.header);
    const { privateNetwork = false, trustAnnotations = false, clientId, user } = options;
    const added = await client.call('POST /api/mcp', {
      body: {
        name,
        ...(url === undefined ? { command: address } : { url }),
        for: user ?? 'everyone',
        headers,
        private_network: privateNetwork,
        trust_annotations: trustAnnotations,
        ...(clientId !== undefined && { client_id: clientId }),
        ...(clientSecret !== undefined && { client_secret: clientSecret }),
      },
    });
    if (added.issuer !== null)
      return printLine(`Added. To use it, sign in at ${added.issuer}: \`${signInCommand(name, options)}\``);
    printLine(`Added. ${name} speaks MCP ${added.protocol} and has ${added.tools.length} tools:`);
    printServerTools(added);
  });
}

type Known = McpCatalogue['servers'][number];

/** A server of the list that the service ships. */
async function getKnown(client: Client, id: string, { clientId }: AddOptions): Promise<Known> {
  const { servers } = await client.call('GET /api/mcp-catalogue');
  const known = servers.find((server) => server.id === id);
  if (!known) throw new Error(`"${id}" is not a well-known server. Give its address, or one of: ${idsOf(servers)}.`);
  if (known.own_client && clientId === undefined)
    throw new Error(`${known.name} wants a client of your own. Register one (${known.page}), and pass --client-id.`);
  printNotice(`${known.name}: ${known.url}, ${known.checked_on ? `checked on ${known.checked_on}` : 'not checked'}.`);
  return known;
}

const idsOf = (servers: readonly Known[]) => servers.map((server) => server.id).join(', ');

const signInCommand = (name: string, { user }: ForUser) =>
  `reborn mcp signin ${name}${user === undefined ? '' : ` --user ${user}`}`;

type Values = { readonly headers: Record<string, string>; readonly clientSecret: string | undefined };

/** `template`: the header of a well-known server, unless others are named. */
async function askValues(
  names: readonly string[],
  hasSecret: boolean,
  template: Known['header'] = null,
): Promise<Values> {
  const usual = names.length === 0 ? template : null;
  if (names.length === 0 && !hasSecret && !usual) return { headers: {}, clientSecret: undefined };
  return askingSecrets({ input: process.stdin, output: process.stderr }, async (ask) => {
    const headers: Record<string, string> = {};
    if (usual) headers[usual.name] = fill(usual.value, (await ask('The key')) ?? '');
    for (const name of names) headers[name] = (await ask(`The value of ${name}`)) ?? '';
    return { headers, clientSecret: hasSecret ? ((await ask('The client secret')) ?? '') : undefined };
  });
}

const fill = (template: string, secret: string) => template.replace('{secret}', () => secret);

function listServers({ user, json }: ForUser & { readonly json?: true }): Promise<void> {
  return withClient(async (client) => {
    const { servers } = await client.call('GET /api/mcp', { query: { for: user } });
    if (json) return printJson(servers);
    if (servers.length === 0) return printLine('No MCP servers were added. `reborn mcp add` adds one.');
    printTable([
      ['name', 'url', 'for', 'tools', 'state'],
      ...servers.map((server) => [server.name, server.url, server.for, String(server.tools), stateOf(server)]),
    ]);
  });
}

type ShowOptions = ForUser & { readonly refresh?: true; readonly json?: true };

function showServer(name: string, { user, refresh, json }: ShowOptions): Promise<void> {
  return withClient(async (client) => {
    const call = { params: { name }, query: { for: user ?? 'everyone' } };
    const server = await (refresh ? client.call('POST /api/mcp/{name}/refresh', call) : getServer(client, name, user));
    if (json) return printJson(server);
    const unreviewed = server.tools.filter((tool) => !tool.reviewed);
    const state = stateOf({ ...server, unreviewed: unreviewed.length });
    printLine(`${server.name}: ${server.url} (MCP ${server.protocol}), ${state}`);
    printServerTools(server);
    for (const reason of server.left_out) printLine(`Left out: ${reason}`);
    for (const tool of unreviewed) {
      const { description_before: before } = tool;
      const what = before === null ? 'new' : 'changed';
      printLine(`\n${tool.name} is ${what}. Its calls need an approval until \`reborn mcp accept\`.`);
      if (before !== null) printLine(`  before: ${before.replace(/\s+/g, ' ')}`);
      printLine(`  now:    ${tool.description.replace(/\s+/g, ' ')} ${JSON.stringify(tool.parameters)}`);
    }
  });
}

const getServer = (client: Client, name: string, user = 'everyone'): Promise<McpServer> =>
  client.call('GET /api/mcp/{name}', { params: { name }, query: { for: user } });

function acceptTools(name: string, { user = 'everyone' }: ForUser): Promise<void> {
  return withClient(async (client) => {
    const { listed_at } = await getServer(client, name, user);
    const call = { params: { name }, query: { for: user }, body: { listed_at } };
    const { tools } = await client.call('POST /api/mcp/{name}/accept', call);
    printLine(`Accepted the ${tools.length} tools of ${name}.`);
  });
}

function removeServer(name: string, { user = 'everyone' }: ForUser): Promise<void> {
  return withClient(async (client) => {
    await client.call('DELETE /api/mcp/{name}', { params: { name }, query: { for: user } });
    printLine(`Removed. The agent has no tools of ${name} any more.`);
  });
}

function printServerTools(server: McpServer): void {
  if (server.tools.length === 0) return;
  printTable([
    ['tool', 'says that it', 'description'],
    ...server.tools.map((tool) => [
      offeredName(server.name, tool.name),
      tool.read_only ? 'only reads' : tool.destructive ? 'can destroy' : 'writes',
      tool.description.replace(/\s+/g, ' ').slice(0, 80),
    ]),
  ]);
}

type Reviewed = Pick<McpServerList['servers'][number], 'problem' | 'unreviewed'>;

const stateOf = ({ problem, unreviewed }: Reviewed) =>
  problem ?? (unreviewed > 0 ? `${unreviewed} tools wait for a review` : 'ready');
