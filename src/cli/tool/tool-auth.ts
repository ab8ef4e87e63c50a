import type { AgentTool } from '@reborn-agent/client/api';
import { askingSecrets, type Terminal, tell } from '../ask-secret.ts';
import type { SignInHere } from '../connect/sign-in-here.ts';
import { describeHolder } from './tool-setup.ts';

type ToolAuth = NonNullable<AgentTool['auth']>;
type ToolAuthOptions = {
  readonly tool: Pick<AgentTool, 'name' | 'auth'>;
  /** `everyone`, or a user. */
  readonly holder: string;
  readonly terminal: Terminal;
  readonly store: (name: string, value: string) => Promise<unknown>;
  readonly signIn: (auth: ToolAuth) => Promise<Pick<SignInHere, 'url' | 'done'>>;
};

/** `reborn tool auth <tool-name>`: gives a tool its credential, in the way that its author describes. */
export async function toolAuth(options: ToolAuthOptions): Promise<void> {
  const { tool, holder, terminal } = options;
  const { auth } = tool;
  if (!auth) return tell(terminal, `The tool "${tool.name}" needs no credential.`);
  if (auth.environment !== null)
    return tell(terminal, `${auth.environment} is set in the environment and will be used. There is nothing to store.`);

  await (auth.oauth ? authByOAuth(options, auth) : authByToken(options, auth));
  tell(
    terminal,
    `Stored as the secret "${auth.secret_name}", encrypted in the database, for ${describeHolder(holder)}.`,
  );
}

async function authByOAuth({ tool, terminal, signIn }: ToolAuthOptions, auth: ToolAuth): Promise<void> {
  tell(terminal, auth.instructions ?? undefined);
  const { url, done } = await signIn(auth);
  tell(
    terminal,
    `To sign in to ${auth.display_name ?? tool.name}, open this address in a browser on this machine:`,
    '',
    `  ${url}`,
    '',
    'Waiting for the browser to come back ...',
  );
  await done;
}

async function authByToken({ tool, terminal, store }: ToolAuthOptions, auth: ToolAuth): Promise<void> {
  tell(terminal, auth.instructions ?? undefined, auth.setup_url ? `Get a token at ${auth.setup_url}` : undefined);
  const hint = auth.token_hint ? ` (${auth.token_hint})` : '';
  const question = `Token for ${auth.display_name ?? tool.name}${hint}`;
  const token = await askingSecrets(terminal, (ask) => ask(question));
  if (!token) throw new Error('No token was entered, and nothing was stored.');

  await store(auth.secret_name, token);
}
