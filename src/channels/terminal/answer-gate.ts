import type { GateAnswer, WireGate } from './gateway-messages.ts';
import type { Screen } from './screen.ts';
import type { ServiceClient } from './service-client.ts';

type Means = {
  readonly client: ServiceClient;
  readonly screen: Screen;
  readonly say: (text: string) => void;
};

/** Answers what a thread waits for by a key. What was answered, in a word; undefined when the key means nothing here, or the person gave up. */
export async function answerGate(means: Means, gate: WireGate, key: string): Promise<string | undefined> {
  const answer = answerFor(gate, key);
  if (!answer) return undefined;
  if (gate.kind === 'auth' && answer === 'approve' && !(await giveSecret(means, gate))) return undefined;
  await means.client.answerGate(gate.id, answer);
  return WORDS[answer];
}

const WORDS = { approve: 'approved', always: 'approved, and from now on for calls like it', deny: 'denied' } as const;

function answerFor({ kind }: WireGate, key: string): GateAnswer | undefined {
  if (key === 'n') return 'deny';
  if (key === 'y' && (kind === 'approval' || kind === 'auth')) return 'approve';
  return key === 'a' && kind === 'approval' ? 'always' : undefined;
}

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

/** Asks for what the tool lacks; false when the call can't go on yet. */
async function giveSecret({ client, screen, say }: Means, gate: WireGate): Promise<boolean> {
  const { tools } = (await client.get('/api/tools')) as { tools: readonly ToolWithAuth[] };
  const tool = tools.find(({ name }) => name === gate.call.name);
  if (!tool?.auth || !tool.needs_sign_in) return true;
  const { auth } = tool;
  if (auth.oauth) {
    say(`Run \`reborn tool auth ${tool.name}\` in another terminal to sign in, then answer y again.`);
    return false;
  }
  if (auth.instructions) say([auth.instructions, auth.setup_url].filter(Boolean).join(' '));
  const value = await screen.askSecret(`${auth.display_name ?? auth.secret_name} (hidden, Esc gives up)`);
  if (!value) return false;
  await client.post(`/api/tools/${encodeURIComponent(tool.name)}/secret`, { name: auth.secret_name, value });
  return true;
}
