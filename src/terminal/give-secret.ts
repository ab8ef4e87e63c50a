import { oneLine } from './screen/printable.ts';
import type { WireGate } from './service/gateway-messages.ts';
import type { ServiceClient } from './service/service-client.ts';

type Means = {
  readonly client: Pick<ServiceClient, 'get' | 'post'>;
  /** Nobody shall be able to read what is typed. */
  readonly askSecret: (question: string) => Promise<string | undefined>;
  readonly say: (text: string) => void;
};

type ToolWithAuth = {
  readonly name: string;
  readonly needs_sign_in: boolean;
  readonly auth: {
    readonly secret_name: string;
    readonly display_name: string | null;
    readonly instructions: string | null;
    readonly setup_url: string | null;
    readonly oauth: boolean;
  } | null;
};

/** Asks for what the tool of a waiting call lacks, and stores it; false when the call can't go on yet. */
export async function giveSecret({ client, askSecret, say }: Means, gate: WireGate): Promise<boolean> {
  const { tools } = (await client.get('/api/tools')) as { tools: readonly ToolWithAuth[] };
  const tool = tools.find(({ name }) => name === gate.call.name);
  if (!tool?.auth || !tool.needs_sign_in) return true;
  const { auth } = tool;
  if (auth.oauth) {
    say(`Sign in with \`reborn tool auth ${tool.name}\` in another terminal, then answer again.`);
    return false;
  }
  if (auth.instructions) say([auth.instructions, auth.setup_url].filter(Boolean).join(' '));
  const value = await askSecret(oneLine(auth.display_name ?? auth.secret_name));
  if (!value) return false;
  await client.post(`/api/tools/${encodeURIComponent(tool.name)}/secret`, { name: auth.secret_name, value });
  return true;
}
