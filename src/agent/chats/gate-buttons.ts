import { NotFound } from '#domain/errors.ts';
import { type GateId, hexFromUuid, uuidFromHex } from '#domain/ids.ts';
import type { Principal } from '#domain/principal.ts';
import type { Turn } from '#domain/thread/turn.ts';
import { digestCall } from '#domain/tool/call-digest.ts';
import type { OpenGate } from '#domain/tool/gate.ts';
import type { Agent } from '../agent.ts';
import type { ChatMessage, ChatPort } from './chat-port.ts';

/** A button names the gate and the digest of the call that is shown with it. The platform says who pressed it. */
const DATA = /^([ad]):([\da-f]{32}):([\da-f]{16})$/;

/** The last message of a turn that waits: what is to be approved, in full, with buttons. */
export function messageFor(gate: OpenGate, port: ChatPort, url: string | undefined): ChatMessage {
  const where = url ? `\n\n${url}` : ' in the web app.';
  if (gate.kind !== 'approval') {
    const what = gate.kind === 'auth' ? 'A sign-in' : 'An answer';
    return { markdown: `**${what} is needed** for ${code(gate.call.name)}. Give it${where}` };
  }
  // Whoever can write a letter in someone's name could approve with it; the web app knows who answers.
  if (port.style === 'letter')
    return {
      markdown: [
        `**An approval is needed** for ${code(gate.call.name)}.`,
        'The web app shows the complete call, and takes your answer. An answer by mail does not count.',
        ...(url ? [url] : []),
      ].join('\n\n'),
    };
  const shown = `**Approve this call?** ${code(gate.call.name)}\n\n${fence(gate.call.arguments)}`;
  // People approve only calls that they see in full, in one message.
  if (port.split(shown).length > 1)
    return {
      markdown: `**An approval is needed** for ${code(gate.call.name)}. Its arguments are too long to show here. Answer it${where}`,
      buttons: [{ label: 'Deny', data: dataOf('d', gate) }],
    };
  return {
    markdown: shown,
    buttons: [
      { label: 'Approve', data: dataOf('a', gate) },
      { label: 'Deny', data: dataOf('d', gate) },
    ],
  };
}

const dataOf = (answer: 'a' | 'd', gate: OpenGate) => `${answer}:${hexFromUuid(gate.id)}:${digestOf(gate)}`;
const digestOf = ({ call, revision }: OpenGate) => digestCall(call, revision).slice(0, 16);

export type Decision = 'approved' | 'denied' | 'stale';

export const describeDecision = (decision: Decision): string =>
  ({ approved: 'Approved.', denied: 'Denied.', stale: 'This was answered already, or it is not yours to answer.' })[
    decision
  ];

/**
 * Answers the gate of a button, if it is open, belongs to the person who pressed, and is about the call that was shown. A foreign
 * gate looks like an answered one.
 */
export async function answerPress(
  agent: Agent,
  owner: Principal,
  data: string,
): Promise<{ readonly decision: Decision; readonly turn?: Turn; readonly tool?: string }> {
  const [, answer, hex = '', digest] = DATA.exec(data) ?? [];
  if (!answer) return { decision: 'stale' };
  const id = uuidFromHex<GateId>(hex);
  try {
    const gate = await agent.getGate(owner, id);
    if (gate.kind !== 'approval' || digestOf(gate) !== digest) return { decision: 'stale' };
    const isApproved = answer === 'a';
    const turn = await agent.answerGate(
      owner,
      id,
      isApproved ? { kind: 'approve' } : { kind: 'deny', reason: 'The user denied it.' },
    );
    return { decision: isApproved ? 'approved' : 'denied', turn, tool: gate.call.name };
  } catch (error) {
    if (error instanceof NotFound) return { decision: 'stale' };
    throw error;
  }
}

const code = (words: string) => `\`${visible(words).replaceAll('`', "'")}\``;

/** A fence that the text can't close. */
function fence(words: string): string {
  const longest = Math.max(2, ...[...words.matchAll(/`+/g)].map(([run]) => run.length));
  const marks = '`'.repeat(longest + 1);
  return `${marks}\n${visible(words)}\n${marks}`;
}

/** Shows characters that are invisible, or change the direction of text, as escapes: what is approved is what is seen. */
function visible(words: string): string {
  return words.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\u115f\u1160\u3164\uffa0]/gu, (character) =>
    character === '\n' || character === '\t' ? character : `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`,
  );
}
