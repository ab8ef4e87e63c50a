import path from 'node:path';
import type { McpHolder } from '#agent/administration/mcp/mcp-access.ts';
import { createMcpAdmin, type McpAdmin } from '#agent/administration/mcp/mcp-admin.ts';
import { readForeignVariable } from '#config/config.ts';
import { createEgress } from '#egress/egress.ts';
import type { EgressAnswer, EgressRequest } from '#egress/exchange.ts';
import { type RateLimit, takeUse } from '#store/spending/rate-windows.ts';
import { createBrowserSignIn } from '#tools/auth/browser-sign-in.ts';
import { beginSignIn } from '#tools/auth/oauth.ts';
import { createRefresh } from '#tools/auth/refresh.ts';
import { createLocalServers } from '#tools/mcp/local/local-servers.ts';
import { createServerHeaders } from '#tools/mcp/server-headers.ts';
import { createServerTokens, type ServerTokens } from '#tools/mcp/server-tokens.ts';
import { openSecrets } from '#tools/secrets/open-secrets.ts';
import type { Secrets } from '#tools/secrets/secrets.ts';
import packageJson from '../../../package.json' with { type: 'json' };
import { COMMAND_LINE, withDatabase } from '../connect/with-database.ts';
import { printLine } from '../print.ts';

type ForUser = { readonly user?: string };

/** A user signs in to their own server of this name, or to everyone's. */
export function signIn(name: string, options: ForUser): Promise<void> {
  return withAdmin(options, async (admin, holder, parts) => {
    const listed = holder === 'everyone' ? [] : await admin.list(COMMAND_LINE, holder);
    const whose = listed.some((each) => each.name === name && each.source === 'me') ? holder : 'everyone';
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
