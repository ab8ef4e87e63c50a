import type { Client } from '@reborn-agent/client';
import type { GateAnswer, OpenGate } from '@reborn-agent/client/api';
import { keysOf } from './gate-keys.ts';
import { giveSecret } from './give-secret.ts';
import type { Screen } from './screen/screen.ts';

type Means = {
  readonly client: Client;
  readonly screen: Screen;
  readonly say: (text: string) => void;
};

/** Answers what a thread waits for by a key. What was answered, in a word; undefined when the key means nothing here, or the person went back. */
export async function answerGate(means: Means, gate: OpenGate, key: string): Promise<string | undefined> {
  const answer = await answerFor(means, gate, key);
  if (!answer) return undefined;
  if (gate.kind === 'auth' && answer.answer === 'approve' && !(await provide(means, gate))) return undefined;
  await means.client.call('POST /api/gates/{id}', { params: { id: gate.id }, body: answer });
  return answer.reason ? `denied: ${answer.reason}` : WORDS[answer.answer];
}

const WORDS = { approve: 'approved', always: 'approved, and from now on for calls like it', deny: 'denied' } as const;

async function answerFor({ screen }: Means, gate: OpenGate, key: string): Promise<GateAnswer | undefined> {
  if (!keysOf(gate).some((known) => known === key)) return undefined;
  if (key === 'y') return { answer: 'approve' };
  if (key === 'a') return { answer: 'always' };
  const reason = await screen.ask('Why not? The model reads the reason. (Enter denies, Esc goes back)');
  return reason === undefined ? undefined : { answer: 'deny', ...(reason && { reason }) };
}

const provide = ({ client, screen, say }: Means, gate: OpenGate) =>
  giveSecret({ client, say, askSecret: (question) => screen.askSecret(`${question} (hidden, Esc goes back)`) }, gate);
