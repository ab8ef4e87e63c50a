import type { Client } from '@reborn-agent/client';
import type { OpenGate } from '@reborn-agent/client/api';
import { oneLine } from './screen/printable.ts';

type Means = {
  readonly client: Client;
  /** Asks without showing what is typed. */
  readonly askSecret: (question: string) => Promise<string | undefined>;
  readonly say: (text: string) => void;
};

/** Asks for the secret that the tool of a waiting call needs, and stores it; false when the call can't continue yet. */
export async function giveSecret({ client, askSecret, say }: Means, gate: OpenGate): Promise<boolean> {
  const { tools } = await client.call('GET /api/tools');
  const tool = tools.find(({ name }) => name === gate.call.name);
  if (tool?.mcp_server && tool.needs_sign_in) {
    say(
      `Sign in with \`reborn mcp signin ${tool.mcp_server}\` in another terminal, or in the browser, then answer again.`,
    );
    return false;
  }
  if (!tool?.auth || !tool.needs_sign_in) return true;
  const { auth } = tool;
  if (auth.oauth) {
    say(`Sign in with \`reborn tool auth ${tool.name}\` in another terminal, then answer again.`);
    return false;
  }
  if (auth.instructions) say([auth.instructions, auth.setup_url].filter(Boolean).join(' '));
  const value = await askSecret(oneLine(auth.display_name ?? auth.secret_name));
  if (!value) return false;
  await client.call('POST /api/tools/{name}/secret', {
    params: { name: tool.name },
    body: { name: auth.secret_name, value },
  });
  return true;
}
