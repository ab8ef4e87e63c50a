import path from 'node:path';
import type { Command } from 'commander';
import type { McpHolder } from '#agent/administration/mcp/mcp-access.ts';
import { createMcpAdmin, type McpAdmin } from '#agent/administration/mcp/mcp-admin.ts';
import { readForeignVariable } from '#config/config.ts';
import { isReviewed, type McpServer } from '#domain/tool/mcp-server.ts';
import { createEgress } from '#egress/egress.ts';
import type { EgressAnswer, EgressRequest } from '#egress/exchange.ts';
import { type RateLimit, takeUse } from '#store/spending/rate-windows.ts';
import { createBrowserSignIn } from '#tools/auth/browser-sign-in.ts';
import { beginSignIn } from '#tools/auth/oauth.ts';
import { createRefresh } from '#tools/auth/refresh.ts';
import { offeredName } from '#tools/mcp/clean-tools.ts';
import { createLocalServers } from '#tools/mcp/local/local-servers.ts';
import { createServerHeaders } from '#tools/mcp/server-headers.ts';
import { createServerTokens, type ServerTokens } from '#tools/mcp/server-tokens.ts';
import { openSecrets } from '#tools/secrets/open-secrets.ts';
import type { Secrets } from '#tools/secrets/secrets.ts';
import packageJson from '../../package.json' with { type: 'json' };
import { askingSecrets } from './ask-secret.ts';
import { COMMAND_LINE, withDatabase } from './connect/with-database.ts';
import { serveMcp } from './mcp-serve.ts';
import { printLine, printRecord, printTable } from './print.ts';

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
  const user = ['--user <id>', 'for this user alone; for everyone, when left out'] as const;
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

function addServer(name: string, address: readonly string[], options: AddOptions): Promise<void> {
  const isUrl = address.length === 1 && /^https?:\/\//i.test(address[0] ?? '');
  return withAdmin(options, async (admin, holder) => {
    const { headers, clientSecret } = await askValues(
      (isUrl ? options.header : options.env) ?? [],
      options.clientSecret ?? false,
    );
    const where = isUrl ? { url: address[0] ?? '' } : { url: '', command: address };
    const { privateNetwork = false, trustAnnotations = false, clientId } = options;
    const client = clientId === undefined ? undefined : { id: clientId, secret: clientSecret };
    const request = { name, ...where, headers, privateNetwork, trustAnnotations, client };
    const added = await admin.add(COMMAND_LINE, request, holder);
    if (added.oauth)
      return printLine(`Added. To use it, sign in at ${added.oauth.issuer}: \`${signInCommand(name, options)}\``);
    printLine(`Added. ${name} speaks MCP ${added.discovery.version} and has ${added.tools.length} tools:`);
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

/** A user signs in to their own server of this name, or to everyone's. */
function signIn(name: string, options: ForUser): Promise<void> {
  return withAdmin(options, async (admin, holder, parts) => {
    const own = holder === 'everyone' ? [] : await admin.listOwned(COMMAND_LINE, holder);
    const whose = own.some((each) => each.name === name) ? holder : 'everyone';
    const found = await admin.getOwned(COMMAND_LINE, name, whose);
    const stop = new AbortController();
    process.once('SIGINT', () => stop.abort(new Error('Stopped; nothing was stored.')));
    const target = parts.tokens.target(found, '');
    const actor = COMMAND_LINE.userId;
    const { url, done } = await beginSignIn(parts, { target, holder, actor, signal: stop.signal });
    printLine(`To sign in to ${name}, open this address in a browser on this machine:\n\n  ${url}\n`);
    await done;
    const problem = await admin.listSignedIn(found, holder === 'everyone' ? COMMAND_LINE : holder);
    const { tools } = await admin.getOwned(COMMAND_LINE, name, whose);
    printLine(problem ?? `Signed in. ${name} has ${tools.length} tools.`);
  });
}

function listServers(options: ForUser & { readonly json?: true }): Promise<void> {
  return withAdmin(options, async (admin, holder) => {
    const servers = await admin.listOwned(COMMAND_LINE, holder);
    if (options.json) return printRecord(servers.map(describe));
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
    if (options.json) return printRecord({ ...describe(server), tools: server.tools, leftOut: server.leftOut });
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

type Parts = {
  readonly secrets: Secrets;
  readonly send: (request: EgressRequest) => Promise<EgressAnswer>;
  readonly tokens: ServerTokens;
};

function withAdmin(
  { user }: ForUser,
  act: (admin: McpAdmin, holder: McpHolder, parts: Parts) => Promise<void>,
): Promise<void> {
  return withDatabase(async ({ db, config }) => {
    await using undo = new AsyncDisposableStack();
    const egress = createEgress();
    undo.defer(() => egress.close());
    const { secrets } = await openSecrets(db, config);
    const send = (request: EgressRequest) => egress.send(request);
    const refresh = createRefresh({ secrets, environment: readForeignVariable, send });
    const tokens = createServerTokens({ secrets, send, refresh });
    const { version } = packageJson;
    const folder = path.join(config.home, 'mcp-servers');
    const programs = { folder, path: readForeignVariable('PATH'), version };
    const local = config.mcpLocalServers ? createLocalServers(programs) : undefined;
    undo.defer(async () => local?.close());
    const network = { egress, version, headers: createServerHeaders(secrets), local, tokens };
    const signsIn = createBrowserSignIn({ secrets, send });
    const limitUse = (key: string, limit: RateLimit) => takeUse(db, key, limit);
    const admin = createMcpAdmin({ db, secrets, network, signIn: signsIn, takeUse: limitUse });
    await act(admin, user === undefined ? 'everyone' : { userId: user }, { secrets, send, tokens });
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
  issuer: server.oauth?.issuer ?? null,
  tools: server.tools.length,
  state: stateOf(server),
});

const textOf = ({ description, parameters }: McpServer['tools'][number]) =>
  `${description.replace(/\s+/g, ' ')} ${JSON.stringify(parameters)}`;
