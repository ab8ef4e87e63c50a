import { readForeignVariable } from '#config/config.ts';
import { createEgress } from '#egress/egress.ts';
import type { EgressRequest } from '#egress/exchange.ts';
import { findTool } from '#store/tools/tools.ts';
import { beginSignIn } from '#tools/auth/oauth.ts';
import { toolSignIn } from '#tools/auth/tool-sign-in.ts';
import type { Capabilities } from '#tools/component/capabilities/capabilities.ts';
import { parseCapabilities } from '#tools/component/capabilities/parse-capabilities.ts';
import type { SecretHolder } from '#tools/secrets/holder.ts';
import { openSecrets } from '#tools/secrets/open-secrets.ts';
import type { Secrets } from '#tools/secrets/secrets.ts';
import type { Terminal } from '../ask-secret.ts';
import { COMMAND_LINE, withDatabase } from '../connect/with-database.ts';
import { toolAuth } from './tool-auth.ts';
import { toolSetup } from './tool-setup.ts';

type ForUser = { readonly user?: string };

export function authorizeTool(toolName: string, options: ForUser): Promise<void> {
  return withTool(toolName, options, async ({ capabilities, holder, secrets, terminal }) => {
    await using undo = new AsyncDisposableStack();
    const egress = createEgress();
    undo.defer(() => egress.close());
    const stop = new AbortController();
    process.once('SIGINT', () => stop.abort(new Error('Stopped; nothing was stored.')));
    const parts = { secrets, environment: readForeignVariable, send: (request: EgressRequest) => egress.send(request) };
    await toolAuth({
      toolName,
      auth: capabilities.auth,
      holder,
      secrets,
      environment: readForeignVariable,
      signIn: (auth) =>
        beginSignIn(parts, {
          target: toolSignIn(parts, { name: toolName, auth }, holder),
          redirectPort: auth.oauth?.redirectPort,
          holder,
          actor: COMMAND_LINE.userId,
          signal: stop.signal,
        }),
      terminal,
    });
  });
}

export function setUpTool(toolName: string, options: ForUser): Promise<void> {
  return withTool(toolName, options, ({ capabilities, holder, secrets, terminal }) =>
    toolSetup({ toolName, required: capabilities.setup.requiredSecrets, holder, secrets, terminal }),
  );
}

type Desk = {
  readonly capabilities: Capabilities;
  readonly holder: SecretHolder;
  readonly secrets: Secrets;
  readonly terminal: Terminal;
};

function withTool(name: string, { user }: ForUser, act: (desk: Desk) => Promise<void>): Promise<void> {
  return withDatabase(async ({ db, config }) => {
    const tool = await findTool(db, name);
    if (!tool) throw new Error(`There is no tool "${name}". \`reborn tool list\` shows what there is.`);
    const { secrets } = await openSecrets(db, config);
    await act({
      capabilities: parseCapabilities(tool.capabilities),
      holder: user === undefined ? 'everyone' : { userId: user },
      secrets,
      terminal: { input: process.stdin, output: process.stdout },
    });
  });
}
