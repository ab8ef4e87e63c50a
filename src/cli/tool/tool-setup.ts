import type { RequiredSecret } from '#tools/component/capabilities/capabilities.ts';
import type { SecretHolder } from '#tools/secrets/holder.ts';
import type { Secrets } from '#tools/secrets/secrets.ts';
import { type AskSecret, askingSecrets, type Terminal, tell } from '../ask-secret.ts';
import { COMMAND_LINE } from '../connect/with-database.ts';

export type ToolSetupOptions = {
  readonly toolName: string;
  readonly required: readonly RequiredSecret[];
  readonly holder: SecretHolder;
  readonly secrets: Pick<Secrets, 'put' | 'exists'>;
  readonly terminal: Terminal;
};

/** `reborn tool setup <tool-name>`: asks for each secret that the tool needs, in the order its author chose. */
export async function toolSetup(options: ToolSetupOptions): Promise<void> {
  const { toolName, required, terminal } = options;
  if (required.length === 0) return tell(terminal, `The tool "${toolName}" needs no setup.`);

  const missing = await askingSecrets(terminal, async (ask) => {
    const names: string[] = [];
    for (const secret of required) if (!(await setUp(options, secret, ask))) names.push(secret.name);
    return names;
  });
  if (missing.length > 0)
    throw new Error(`Still missing: ${missing.join(', ')}. Run \`reborn tool setup ${toolName}\` again to add them.`);

  tell(terminal, `The tool "${toolName}" is set up for ${describeHolder(options.holder)}.`);
}

/** Whether the tool can do with what there is now. */
async function setUp(options: ToolSetupOptions, secret: RequiredSecret, ask: AskSecret): Promise<boolean> {
  const { secrets, holder, terminal } = options;
  const { name, prompt, optional = false } = secret;
  const isThere = await secrets.exists(holder, name);
  const hint = isThere ? ' (stored already; leave it empty to keep it)' : optional ? ' (optional)' : '';
  const value = await ask(`${prompt}${hint}`);
  if (!value) return isThere || optional;

  await secrets.put(holder, name, value, { actor: COMMAND_LINE.userId });
  tell(terminal, `Stored the secret "${name}", encrypted in the database.`);
  return true;
}

export function describeHolder(holder: SecretHolder): string {
  return holder === 'everyone' ? 'everyone on this installation' : `the user ${holder.userId}`;
}
