import { NotFound } from '#domain/errors.ts';
import { type GateId, hexFromUuid, uuidFromHex } from '#domain/ids.ts';
import type { Principal } from '#domain/principal.ts';
import type { Turn } from '#domain/thread/turn.ts';
import { digestCalls } from '#domain/tool/call-digest.ts';
import { callsOf, type OpenGate } from '#domain/tool/gate.ts';
import type { Agent } from '../../agent.ts';
import { type DescribedCard, describeCard } from '../../gates/describe-card.ts';
import type { ShownGate } from '../../gates/shown-gate.ts';
import type { ChatMessage, ChatPort } from '../chat-port.ts';

/** A button names the gate and the digest of the calls that are shown with it. The platform says who pressed it. */
const DATA = /^([ad]):([\da-f]{32}):([\da-f]{16})$/;

/** The last message of a turn that waits: what is to be approved, in full, why, and buttons for all of its calls. */
export function messageFor(
  gate: OpenGate & Partial<Pick<ShownGate, 'path'>>,
  port: ChatPort,
  url: string | undefined,
): Omit<ChatMessage, 'files'> {
  const where = url ? `\n\n${url}` : ' in the web app.';
  const names = LIST.format(callsOf(gate).map(({ call }) => code(call.name)));
  if (gate.kind !== 'approval') {
    const what = gate.kind === 'auth' ? 'A sign-in' : 'An answer';
    return { markdown: [`**${what} is needed** for ${names}. Give it${where}`, ...askerOf(gate)].join('\n\n') };
  }
  const { reason, calls } = describeCard(gate, code);
  const why = [...askerOf(gate), ...(reason === undefined ? [] : [reason])];
  // A letter with a forged sender could approve; the web app knows who answers.
  if (port.style === 'letter')
    return {
      markdown: [
        `**An approval is needed** for ${names}.`,
        ...calls.map(({ sentence }) => sentence),
        ...why,
        'The web app shows the complete call, and takes your answer. An answer by mail does not count.',
        ...(url ? [url] : []),
      ].join('\n\n'),
    };
  const isOne = calls.length === 1;
  const shown = [
    isOne ? `**Approve this call?** ${calls[0]?.sentence}` : `**Approve these ${calls.length} calls?**`,
    ...why,
    ...calls.flatMap((call, index) => [...(isOne ? [] : [`${index + 1}. ${call.sentence}`]), ...showCall(call)]),
  ].join('\n\n');
  // People approve only calls that they see in full, in one message.
  if (port.split(shown).length > 1)
    return {
      markdown: [
        `**An approval is needed** for ${names}.`,
        ...why,
        `The arguments are too long to show here. Answer it${where}`,
      ].join('\n\n'),
      buttons: [{ label: isOne ? 'Deny' : 'Deny all', data: dataOf('d', gate) }],
    };
  return {
    markdown: shown,
    buttons: [
      { label: isOne ? 'Approve' : `Approve all ${calls.length}`, data: dataOf('a', gate) },
      { label: isOne ? 'Deny' : 'Deny all', data: dataOf('d', gate) },
    ],
  };
}

/** Which subagent asks: its task, after those of the subagents above it. */
const askerOf = ({ path = [] }: Partial<Pick<ShownGate, 'path'>>): string[] =>
  path.length < 2 ? [] : [`A subagent asks: ${path.slice(1).map(code).join(' › ')}`];

const showCall = ({ arguments: json, address }: DescribedCard['calls'][number]): string[] => [
  fence(json),
  ...(address === undefined ? [] : [address]),
];

const LIST = new Intl.ListFormat('en-GB');

const dataOf = (answer: 'a' | 'd', gate: OpenGate) => `${answer}:${hexFromUuid(gate.id)}:${digestOf(gate)}`;
const digestOf = (gate: OpenGate) => digestCalls(callsOf(gate)).slice(0, 16);

export type Decision = 'approved' | 'denied' | 'stale';

export const describeDecision = (decision: Decision): string =>
  ({ approved: 'Approved.', denied: 'Denied.', stale: 'This was answered already, or it is not yours to answer.' })[
    decision
  ];

/**
 * Answers the gate of a button, if it is open, belongs to the person who pressed, and is about the calls that were shown. A foreign
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
    const turn = await agent.answerGate(owner, id, isApproved ? { kind: 'approve' } : { kind: 'deny', reason: '' });
    return {
      decision: isApproved ? 'approved' : 'denied',
      turn,
      tool: callsOf(gate)
        .map(({ call }) => call.name)
        .join(', '),
    };
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
