import type { SignIn } from '#tools/auth/oauth.ts';
import type { Environment, ToolAuth } from '#tools/auth/tool-auth.ts';
import type { SecretHolder } from '#tools/secrets/holder.ts';
import type { Secrets } from '#tools/secrets/secrets.ts';
import { askingSecrets, type Terminal, tell } from '../ask-secret.ts';
import { COMMAND_LINE } from '../connect/with-database.ts';
import { describeHolder } from './tool-setup.ts';

export type ToolAuthOptions = {
  readonly toolName: string;
  readonly auth: ToolAuth | undefined;
  readonly holder: SecretHolder;
  readonly secrets: Pick<Secrets, 'put'>;
  readonly environment: Environment;
  /** Begins an OAuth sign-in; see `beginSignIn`. */
  signIn(auth: ToolAuth, holder: SecretHolder): Promise<SignIn>;
  readonly terminal: Terminal;
};

/** `reborn tool auth <tool-name>`: gives a tool its credential, in the way that its author describes. */
export async function toolAuth(options: ToolAuthOptions): Promise<void> {
  const { toolName, auth, environment, terminal } = options;
  if (!auth) return tell(terminal, `The tool "${toolName}" needs no credential.`);
  if (auth.envVar && environment(auth.envVar))
    return tell(terminal, `${auth.envVar} is set in the environment and will be used. There is nothing to store.`);

  await (auth.oauth ? authByOAuth(options, auth) : authByToken(options, auth));
  tell(
    terminal,
    `Stored as the secret "${auth.secretName}", encrypted in the database, for ${describeHolder(options.holder)}.`,
  );
}

async function authByOAuth(options: ToolAuthOptions, auth: ToolAuth): Promise<void> {
  const { holder, terminal, toolName } = options;
  tell(terminal, auth.instructions);
  const { url, done } = await options.signIn(auth, holder);
  tell(
    terminal,
    `To sign in to ${auth.displayName ?? toolName}, open this address in a browser on this machine:`,
    '',
    `  ${url}`,
    '',
    'Waiting for the browser to come back ...',
  );
  await done;
}

async function authByToken(options: ToolAuthOptions, auth: ToolAuth): Promise<void> {
  const { secrets, holder, terminal, toolName } = options;
  tell(terminal, auth.instructions, auth.setupUrl && `Get a token at ${auth.setupUrl}`);
  const hint = auth.tokenHint ? ` (${auth.tokenHint})` : '';
  const question = `Token for ${auth.displayName ?? toolName}${hint}`;
  const token = await askingSecrets(terminal, (ask) => ask(question));
  if (!token) throw new Error('No token was entered, and nothing was stored.');

  await secrets.put(holder, auth.secretName, token, { actor: COMMAND_LINE.userId });
}
