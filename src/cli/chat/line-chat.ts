import { createInterface, type Interface } from 'node:readline/promises';
import { type Client, createClient } from '@reborn-agent/client';
import type { GateAnswer, OpenGate } from '@reborn-agent/client/api';
import { sendMessage } from '@reborn-agent/client/send';
import { readAttachedFiles } from '#terminal/files/attached-files.ts';
import type { ReachedService } from '../connect/with-service.ts';
import { describeGate } from '../gate/describe-gate.ts';
import { readGates } from '../gate/find-gate.ts';
import { printLine, printNotice, printPiece, toLines } from '../print.ts';
import type { Answer } from './follow-turn.ts';
import { printTurn, tellOutcome } from './tell-turn.ts';

/** The chat in plain lines, without colours or a moving cursor: for screen readers, logs and simple terminals. */
export async function chatInLines(service: ReachedService, opened: string | undefined): Promise<void> {
  const client = createClient(service.locate);
  const lines = createInterface({ input: process.stdin, output: process.stdout, terminal: false });
  for (const notice of service.notices) printLine(notice);
  printLine('Type a message, and Enter sends it. Ctrl+C stops an answer, Ctrl+D ends the chat.');
  let threadId = opened;
  try {
    for (;;) {
      const text = await ask(lines, 'You: ');
      if (text === undefined) return;
      if (text.trim() !== '') threadId = await converse(service, client, lines, { text, threadId });
    }
  } finally {
    lines.close();
  }
}

type Message = { readonly text: string; readonly threadId: string | undefined };

/** Sends a message, and answers what its turn asks. The thread that it is in. */
async function converse(
  service: ReachedService,
  client: Client,
  lines: Interface,
  { text, threadId }: Message,
): Promise<string> {
  const attachments = await readAttachedFiles(text, process.cwd());
  const message = { message: text, ...(threadId && { thread_id: threadId }), ...(attachments[0] && { attachments }) };
  // One after the other: the questions share the input.
  let asking = Promise.resolve();
  const onGateBelow = (gate: OpenGate) => {
    asking = asking.then(() => answerGate(client, lines, gate));
  };
  let answer = await say(service, (follower) => sendMessage(follower, message), { onGateBelow });
  while (answer.status === 'waiting') {
    const gate = (await readGates(client)).find((open) => open.thread_id === answer.thread_id);
    const body = gate && (await askGate(lines, gate));
    if (!body) break;
    const call = { params: { id: gate.id }, body };
    answer = await say(service, (follower) => follower.call('POST /api/gates/{id}', call), { onGateBelow });
  }
  tellOutcome(answer);
  return answer.thread_id;
}

async function say(...turn: Parameters<typeof printTurn>): Promise<Answer> {
  printPiece('Reborn: ');
  const answer = await printTurn(...turn);
  printPiece('\n');
  return answer;
}

/** Asks what a subagent waits for. Somebody may have answered it meanwhile. */
async function answerGate(client: Client, lines: Interface, gate: OpenGate): Promise<void> {
  printPiece('\n');
  const body = await askGate(lines, gate);
  if (body) await client.call('POST /api/gates/{id}', { params: { id: gate.id }, body }).catch(tellRefusal);
}

const tellRefusal = (error: unknown) =>
  printNotice(`reborn: ${error instanceof Error ? error.message : String(error)}`);

/** Nothing where more than a yes or no is needed. */
async function askGate(lines: Interface, gate: OpenGate): Promise<GateAnswer | undefined> {
  if (gate.kind !== 'approval' || gate.question) return undefined;
  printLine(describeGate(gate));
  const said = await ask(lines, 'Approve? Type yes, or no, or why not: ');
  if (said === undefined) return undefined;
  if (/^y(es)?$/i.test(said.trim())) return { answer: 'approve' };
  const reason = said.trim().replace(/^no?$/i, '');
  return { answer: 'deny', ...(reason && { reason }) };
}

/** Undefined at the end of the input. */
async function ask(lines: Interface, question: string): Promise<string | undefined> {
  const closed = new AbortController();
  const close = () => closed.abort();
  lines.once('close', close);
  try {
    return await lines.question(toLines(question) + ' ', { signal: closed.signal });
  } catch (error) {
    if (closed.signal.aborted) return undefined;
    throw error;
  } finally {
    lines.off('close', close);
  }
}
