import type { Client } from '@reborn-agent/client';
import type { AgentTool } from '@reborn-agent/client/api';
import type { Terminal } from '../ask-secret.ts';
import { signInHere, stoppedByPerson } from '../connect/sign-in-here.ts';
import { withClient } from '../connect/with-client.ts';
import { toolAuth } from './tool-auth.ts';
import { getTool } from './tool-list.ts';
import { toolSetup } from './tool-setup.ts';

type ForUser = { readonly user?: string };

/** `reborn tool auth`. */
export function authorizeTool(toolName: string, options: ForUser): Promise<void> {
  return withTool(toolName, options, async (desk, client) => {
    const [params, query] = [{ name: toolName }, { for: desk.holder }];
    await toolAuth({
      ...desk,
      signIn: ({ redirect_port: port }) =>
        signInHere({
          port: port ?? undefined,
          signal: stoppedByPerson(),
          begin: async (redirectUri) => {
            const call = { params, query: { ...query, redirect_uri: redirectUri } };
            return (await client.call('POST /api/tools/{name}/sign-in', call)).url;
          },
          finish: ({ state, code }) =>
            client.call('POST /api/tools/{name}/sign-in/finish', { params, query, body: { state, code } }),
        }),
    });
  });
}

/** `reborn tool setup`. */
export function setUpTool(toolName: string, options: ForUser): Promise<void> {
  return withTool(toolName, options, toolSetup);
}

type Desk = {
  readonly tool: AgentTool;
  readonly holder: string;
  readonly terminal: Terminal;
  readonly store: (name: string, value: string) => Promise<unknown>;
};

function withTool(
  name: string,
  { user: holder = 'everyone' }: ForUser,
  act: (desk: Desk, client: Client) => Promise<void>,
): Promise<void> {
  return withClient(async (client) => {
    const desk: Desk = {
      tool: await getTool(client, name, holder),
      holder,
      terminal: { input: process.stdin, output: process.stdout },
      store: (secret, value) =>
        client.call('POST /api/tools/{name}/secret', { params: { name }, body: { name: secret, value, for: holder } }),
    };
    await act(desk, client);
  });
}
