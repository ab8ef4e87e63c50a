import type { AgentTool } from '@reborn-agent/client/api';
import { type AskSecret, askingSecrets, type Terminal, tell } from '../ask-secret.ts';

type ToolSetupOptions = {
  readonly tool: Pick<AgentTool, 'name' | 'secrets'>;
  /** `everyone`, or a user. */
  readonly holder: string;
  readonly terminal: Terminal;
  readonly store: (name: string, value: string) => Promise<unknown>;
};

/** `reborn tool setup <tool-name>`: asks for each secret that the tool needs, in the order its author chose. */
export async function toolSetup(options: ToolSetupOptions): Promise<void> {
  const { tool, terminal } = options;
  if (tool.secrets.length === 0) return tell(terminal, `The tool "${tool.name}" needs no setup.`);

  const missing = await askingSecrets(terminal, async (ask) => {
    const names: string[] = [];
    for (const secret of tool.secrets) if (!(await setUp(options, secret, ask))) names.push(secret.name);
    return names;
  });
  if (missing.length > 0)
    throw new Error(`Still missing: ${missing.join(', ')}. Run \`reborn tool setup ${tool.name}\` again to add them.`);

  tell(terminal, `The tool "${tool.name}" is set up for ${describeHolder(options.holder)}.`);
}

/** Whether the tool can do with what there is now. */
async function setUp(
  { store, terminal }: ToolSetupOptions,
  { name, prompt, optional, stored }: AgentTool['secrets'][number],
  ask: AskSecret,
): Promise<boolean> {
  const hint = stored ? ' (stored already; leave it empty to keep it)' : optional ? ' (optional)' : '';
  const value = await ask(`${prompt}${hint}`);
  if (!value) return stored || optional;

  await store(name, value);
  tell(terminal, `Stored the secret "${name}", encrypted in the database.`);
  return true;
}

export function describeHolder(holder: string): string {
  return holder === 'everyone' ? 'everyone on this installation' : `the user ${holder}`;
}
