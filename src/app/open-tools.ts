import path from 'node:path';
import { createMcpAdmin } from '#agent/administration/mcp/mcp-admin.ts';
import { createMcpOffers } from '#agent/administration/mcp/mcp-offers.ts';
import { createToolAdmin } from '#agent/administration/tool-admin.ts';
import { quarantineTool } from '#agent/gates/policy-settings.ts';
import { readForeignVariable } from '#config/config.ts';
import type { EgressRequest } from '#egress/exchange.ts';
import { recordAudit } from '#store/audit.ts';
import type { Owner } from '#store/connection.ts';
import { readComponentFiles } from '#store/tools/tools.ts';
import { createBrowserSignIn } from '#tools/auth/browser-sign-in.ts';
import { createCredentials } from '#tools/auth/credentials.ts';
import { createRefresh } from '#tools/auth/refresh.ts';
import { toolSignIn } from '#tools/auth/tool-sign-in.ts';
import type { CodeTools } from '#tools/builtin/code/code-tools.ts';
import { prepareComponent } from '#tools/component/install/prepare-component.ts';
import { prepareOnce } from '#tools/component/install/prepare-once.ts';
import { createInstalledTools } from '#tools/component/installed-tools.ts';
import { createJails } from '#tools/component/jail/jails.ts';
import { createCircuitBreaker } from '#tools/mcp/circuit-breaker.ts';
import { createLocalServers } from '#tools/mcp/local/local-servers.ts';
import { createMcpTools } from '#tools/mcp/mcp-tools.ts';
import { createServerHeaders } from '#tools/mcp/server-headers.ts';
import { createServerTokens } from '#tools/mcp/server-tokens.ts';
import { createRegistry } from '#tools/registry.ts';
import type { Tool, ToolContext } from '#tools/tool.ts';
import packageJson from '../../package.json' with { type: 'json' };
import type { Base } from './base.ts';
import { writeToolLine } from './log.ts';

/**
 * All tools that the agent can call: `fixed` ones, which are part of the program, those that run code while it can run, installed
 * components, and those of MCP servers.
 */
export function openTools(
  { config, log, db, secrets, egress, takeUse, onError, undo }: Base,
  fixed: readonly Tool[],
  codeTools: CodeTools,
) {
  const environment = readForeignVariable;
  const providers = { secrets, environment, send: (request: EgressRequest) => egress.send(request) };
  const refresh = createRefresh(providers);
  undo.defer(async () => void (await refresh.settled()));
  const browserSignIn = createBrowserSignIn(providers);
  const jails = createJails({ requires: config.toolJailRequires, onLog: (line) => log.warn(line) });
  undo.defer(() => jails.close());
  const installed = createInstalledTools(db, {
    jails,
    egress,
    credentials: createCredentials({ secrets, environment, refresh }),
    takeUse,
    loadFiles: (hash) => readComponentFiles(db, hash),
    onSecretsUsed: (actor, tool, names) =>
      recordAudit(db, { actor, action: 'secret.use', subject: tool, detail: { names } }),
    onLeak: (userId, tool, secretName) => quarantineTool(db, { tool, userId, secretName }),
    onLog: (tool, line) => writeToolLine(log, tool, line),
  });
  const local = config.mcpLocalServers
    ? createLocalServers({
        folder: path.join(config.home, 'mcp-servers'),
        path: environment('PATH'),
        version: packageJson.version,
      })
    : undefined;
  undo.defer(async () => local?.close());
  const mcp = {
    egress,
    local,
    version: packageJson.version,
    headers: createServerHeaders(secrets),
    tokens: createServerTokens({ ...providers, refresh }),
    breaker: createCircuitBreaker(),
    takeUse,
    onSecretsUsed: ({ owner }: ToolContext, tool: string, names: readonly string[]) =>
      recordAudit(db, { actor: owner.userId, action: 'secret.use', subject: tool, detail: { names } }),
  };
  const mcpTools = createMcpTools(db, mcp, onError);
  undo.defer(() => mcpTools.close());
  const loaded = async () => [...(await installed.read()), ...(await codeTools.current())];
  const ofServers = (owner: Owner) => mcpTools.toolsFor(owner);
  const tools = createRegistry(fixed, loaded, ofServers, config.mcpToolsInPrompt, codeTools.ofThread);
  const toolAdmin = createToolAdmin({
    db,
    tools,
    secrets,
    environment: readForeignVariable,
    prepare: prepareOnce((wasm) => prepareComponent(wasm, { requires: config.toolJailRequires })),
    builtinNames: new Set(fixed.map(({ definition }) => definition.name)),
    signIn: browserSignIn,
    signInTo: (tool, holder) => toolSignIn(providers, tool, holder),
    onChange: () => installed.forget(),
  });
  const mcpAdmin = createMcpAdmin({
    db,
    secrets,
    network: mcp,
    signIn: browserSignIn,
    takeUse,
    onChange: () => mcpTools.forget(),
  });
  return { tools, toolAdmin, mcpAdmin, mcpOffers: createMcpOffers({ db, network: mcp, takeUse }) };
}
