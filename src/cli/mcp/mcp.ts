import type { Client } from '@reborn-agent/client';
import type { McpServer, McpServerList } from '@reborn-agent/client/api';
import type { Command } from 'commander';
import { offeredName } from '#tools/mcp/clean-tools.ts';
import { askingSecrets } from '../ask-secret.ts';
import { withClient } from '../connect/with-client.ts';
import { printJson, printLine, printTable } from '../print.ts';
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
    .argument('<address...>', 'such as https://mcp.example.com/mcp; or, after --, a program and its arguments')
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
      '\nExamples:\n  reborn mcp add github https://mcp.example.com/mcp --header Authorization\n  reborn mcp add files -- npx -y @modelcontextprotocol/server-filesystem /srv/files',
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
  const isUrl = address.length === 1 && /^https?:\/\//i.test(address[0] ?? '');
  return withClient(async (client) => {
    const { headers, clientSecret } = await askValues(
      (isUrl ? options.header : options.env) ?? [],
      options.clientSecret ?? false,
    );
    const { privateNetwork = false, trustAnnotations = false, clientId, user } = options;
    const added = await client.call('POST /api/mcp', {
      body: {
        name,
        ...(isUrl ? { url: address[0] ?? '' } : { command: address }),
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

const signInCommand = (name: string, { user }: ForUser) =>
  `reborn mcp signin ${name}${user === undefined ? '' : ` --user ${user}`}`;

type Values = { readonly headers: Record<string, string>; readonly clientSecret: string | undefined };

async function askValues(names: readonly string[], hasSecret: boolean): Promise<Values> {
  if (names.length === 0 && !hasSecret) return { headers: {}, clientSecret: undefined };
  return askingSecrets({ input: process.stdin, output: process.stderr }, async (ask) => {
    const headers: Record<string, string> = {};
    for (const name of names) headers[name] = (await ask(`The value of ${name}`)) ?? '';
    return { headers, clientSecret: hasSecret ? ((await ask('The client secret')) ?? '') : undefined };
  });
}

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
