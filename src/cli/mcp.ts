import type { Command } from 'commander';
import { createMcpAdmin, type McpHolder } from '#agent/administration/mcp-admin.ts';
import { isReviewed, type McpServer } from '#domain/tool/mcp-server.ts';
import { createEgress } from '#egress/egress.ts';
import { takeUse } from '#store/spending/rate-windows.ts';
import { offeredName } from '#tools/mcp/clean-tools.ts';
import { createServerHeaders } from '#tools/mcp/server-headers.ts';
import { openSecrets } from '#tools/secrets/open-secrets.ts';
import packageJson from '../../package.json' with { type: 'json' };
import { askingSecrets } from './ask-secret.ts';
import { COMMAND_LINE, withDatabase } from './connect/with-database.ts';
import { serveMcp } from './mcp-serve.ts';
import { printJson, printLine, printTable } from './print.ts';

type ForUser = { readonly user?: string };
type AddOptions = ForUser & {
  readonly header?: readonly string[];
  readonly privateNetwork?: true;
  readonly trustAnnotations?: true;
};

/** `reborn mcp`: servers whose tools the agent can call. */
export function addMcpCommands(program: Command): void {
  const mcp = program.command('mcp').description('Manage MCP servers: the agent can call their tools.');
  const user = ['--user <id>', 'for this user alone; for everyone, when left out'] as const;
  const name = ['<name>', 'its name'] as const;
  mcp
    .command('add')
    .argument('<name>', 'begins the names of its tools, such as github')
    .argument('<url>', 'its address, such as https://mcp.example.com/mcp')
    .option(...user)
    .option('--header <name...>', 'headers to send; each value is asked for, or read as a line from stdin')
    .option('--private-network', 'allow its address although it is on a private network')
    .option('--trust-annotations', 'repeat calls after a crash if the server says that this is harmless')
    .description('Connect to a server, and add its tools on every replica.')
    .addHelpText('after', '\nExample:\n  reborn mcp add github https://mcp.example.com/mcp --header Authorization')
    .action(addServer);
  mcp
    .command('serve')
    .description('Serve the agent to an MCP client over stdin and stdout.')
    .addHelpText('after', '\nExample:\n  reborn mcp serve')
    .action(serveMcp);
  mcp
    .command('list')
    .option(...user)
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

function addServer(name: string, url: string, options: AddOptions): Promise<void> {
  return withAdmin(options, async (admin, holder) => {
    const headers = await askHeaders(options.header ?? []);
    const { privateNetwork = false, trustAnnotations = false } = options;
    const request = { name, url, headers, privateNetwork, trustAnnotations };
    const added = await admin.add(COMMAND_LINE, request, holder);
    printLine(`Added. ${name} speaks MCP ${added.discovery.version} and has ${added.tools.length} tools:`);
    printServerTools(added);
  });
}

function askHeaders(names: readonly string[]): Promise<Record<string, string>> {
  if (names.length === 0) return Promise.resolve({});
  return askingSecrets({ input: process.stdin, output: process.stderr }, async (ask) => {
    const headers: Record<string, string> = {};
    for (const name of names) headers[name] = (await ask(`The value of ${name}`)) ?? '';
    return headers;
  });
}

function listServers(options: ForUser & { readonly json?: true }): Promise<void> {
  return withAdmin(options, async (admin, holder) => {
    const servers = await admin.listOwned(COMMAND_LINE, holder);
    if (options.json) return printJson(servers.map(describe));
    if (servers.length === 0) return printLine('No MCP servers were added. `reborn mcp add` adds one.');
    printTable([
      ['name', 'url', 'tools', 'state'],
      ...servers.map((server) => [server.name, server.url, String(server.tools.length), stateOf(server)]),
    ]);
  });
}

function showServer(name: string, options: ForUser & { readonly refresh?: true; readonly json?: true }): Promise<void> {
  return withAdmin(options, async (admin, holder) => {
    const server = options.refresh
      ? await admin.refresh(COMMAND_LINE, name, holder)
      : await admin.getOwned(COMMAND_LINE, name, holder);
    if (options.json) return printJson({ ...describe(server), tools: server.tools, leftOut: server.leftOut });
    printLine(`${server.name}: ${server.url} (MCP ${server.discovery.version}), ${stateOf(server)}`);
    printServerTools(server);
    for (const reason of server.leftOut) printLine(`Left out: ${reason}`);
    for (const tool of server.tools.filter((each) => !isReviewed(server, each))) {
      const before = server.accepted.find((each) => each.name === tool.name);
      printLine(
        `\n${tool.name} is ${before ? 'changed' : 'new'}. Its calls need an approval until \`reborn mcp accept\`.`,
      );
      if (before) printLine(`  before: ${textOf(before)}`);
      printLine(`  now:    ${textOf(tool)}`);
    }
  });
}

function acceptTools(name: string, options: ForUser): Promise<void> {
  return withAdmin(options, async (admin, holder) => {
    const { listedAt } = await admin.getOwned(COMMAND_LINE, name, holder);
    const { tools } = await admin.accept(COMMAND_LINE, name, holder, listedAt);
    printLine(`Accepted the ${tools.length} tools of ${name}.`);
  });
}

function removeServer(name: string, options: ForUser): Promise<void> {
  return withAdmin(options, async (admin, holder) => {
    await admin.remove(COMMAND_LINE, name, holder);
    printLine(`Removed. The agent has no tools of ${name} any more.`);
  });
}

type Admin = ReturnType<typeof createMcpAdmin>;

function withAdmin({ user }: ForUser, act: (admin: Admin, holder: McpHolder) => Promise<void>): Promise<void> {
  return withDatabase(async ({ db, config }) => {
    await using undo = new AsyncDisposableStack();
    const egress = createEgress();
    undo.defer(() => egress.close());
    const { secrets } = await openSecrets(db, config);
    const network = { egress, version: packageJson.version, headers: createServerHeaders(secrets) };
    const admin = createMcpAdmin({ db, secrets, network, takeUse: (key, limit) => takeUse(db, key, limit) });
    await act(admin, user === undefined ? 'everyone' : { userId: user });
  });
}

function printServerTools(server: McpServer): void {
  if (server.tools.length === 0) return;
  printTable([
    ['tool', 'says that it', 'description'],
    ...server.tools.map((tool) => [
      offeredName(server.name, tool.name),
      tool.readOnly ? 'only reads' : tool.destructive ? 'can destroy' : 'writes',
      tool.description.replace(/\s+/g, ' ').slice(0, 80),
    ]),
  ]);
}

function stateOf(server: McpServer): string {
  const waiting = server.tools.filter((tool) => !isReviewed(server, tool)).length;
  return server.problem ?? (waiting > 0 ? `${waiting} tools wait for a review` : 'ready');
}

const describe = (server: McpServer) => ({
  name: server.name,
  url: server.url,
  privateNetwork: server.privateNetwork,
  trustAnnotations: server.trustAnnotations,
  headers: server.headers.map((header) => header.name),
  protocol: server.discovery.version,
  tools: server.tools.length,
  state: stateOf(server),
});

const textOf = ({ description, parameters }: McpServer['tools'][number]) =>
  `${description.replace(/\s+/g, ' ')} ${JSON.stringify(parameters)}`;
