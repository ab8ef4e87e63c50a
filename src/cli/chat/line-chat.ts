import { type Client, createClient } from '@reborn-agent/client';
import type { CallCard, GateAnswer, OpenGate } from '@reborn-agent/client/api';
import { doesSentence, plainText } from '@reborn-agent/client/call-card';
import { outlineArguments } from '@reborn-agent/client/format';
import { sendMessage } from '@reborn-agent/client/send';
import { parseCommand } from '#terminal/commands.ts';
import { readAttachedFiles } from '#terminal/files/attached-files.ts';
import { describeFailure } from '#terminal/files/describe-failure.ts';
import { asksToCompact, compactThread } from '#terminal/slash/compact-thread.ts';
import type { ReachedService } from '../connect/with-service.ts';
import { describeGate } from '../gate/describe-gate.ts';
import { readGates } from '../gate/find-gate.ts';
import { printLine, printNotice, printPiece } from '../print.ts';
import type { Answer } from './follow-turn.ts';
import { printTurn, tellOutcome } from './tell-turn.ts';
import { readTypedLines, type TypedLines } from './typed-lines.ts';

type LineChat = {
  readonly service: ReachedService;
  readonly client: Client;
  readonly lines: TypedLines;
  /** How the tools say what their calls do. */
  readonly cards: ReadonlyMap<string, CallCard | undefined>;
  threadId: string | undefined;
};

/** The chat in plain lines, without colours or a moving cursor: for screen readers, logs and simple terminals. */
export async function chatInLines(service: ReachedService, threadId: string | undefined): Promise<void> {
  const lines = readTypedLines(process.stdin);
  const client = createClient(service.locate);
  const { tools } = await client.call('GET /api/tools');
  const chat = { service, client, lines, cards: new Map(tools.map(({ name, card }) => [name, card])), threadId };
  for (const notice of service.notices) printLine(notice);
  printLine(HELP);
  try {
    await attempt(() => continueThread(chat));
    for (;;) {
      printPiece('You: ');
      const text = await lines.next();
      if (text === undefined) return;
      if (text.trim() !== '') await attempt(() => take(chat, text));
    }
  } finally {
    lines.close();
  }
}

const HELP =
  'Type a message, and Enter sends it. /new starts a new thread, /compact lets the next message begin with a summary. Ctrl+C stops an answer, Ctrl+D ends the chat.';

/** What fails, fails alone: the chat goes on. */
async function attempt(work: () => Promise<void>): Promise<void> {
  await work().catch((error: unknown) => {
    printNotice(`reborn: ${describeFailure(error)}`);
  });
}

/** Names the thread, and asks what it waits for. */
async function continueThread(chat: LineChat): Promise<void> {
  const { client, threadId: id } = chat;
  if (id === undefined) return;
  printLine(`Thread: ${(await client.call('GET /api/threads/{id}', { params: { id } })).title}`);
  const gate = await findGate(chat);
  const answer = gate && (await answerGate(chat, gate));
  if (answer) await answerAll(chat, answer);
}

async function take(chat: LineChat, text: string): Promise<void> {
  const command = parseCommand(text);
  if (command === undefined) return converse(chat, text);
  if (command !== 'unknown' && command.name === 'compact')
    return printLine(await compactThread(chat.client, chat.threadId, asksToCompact(command.argument)));
  if (command === 'unknown' || command.name !== 'new') return printLine(`There is no such command here. ${HELP}`);
  chat.threadId = undefined;
  printLine('New thread. Type a message.');
}

async function converse(chat: LineChat, text: string): Promise<void> {
  const { threadId } = chat;
  const attachments = await readAttachedFiles(text, process.cwd());
  const message = { message: text, ...(threadId && { thread_id: threadId }), ...(attachments[0] && { attachments }) };
  await answerAll(chat, await say(chat, (follower) => sendMessage(follower, message)));
}

/** Answers what the turn asks, until it ends. */
async function answerAll(chat: LineChat, first: Answer): Promise<void> {
  let answer = first;
  chat.threadId = answer.thread_id;
  while (answer.status === 'waiting') {
    const gate = await findGate(chat);
    const next = gate && (await answerGate(chat, gate));
    if (!next) break;
    answer = next;
  }
  tellOutcome(answer);
}

/** Writes the answer with a line for each step before it. */
async function say(chat: LineChat, begin: Parameters<typeof printTurn>[1]): Promise<Answer> {
  const { service, cards } = chat;
  let isSpeaking = false;
  let asked = Promise.resolve(); // one question after the other
  const answer = await printTurn(service, begin, {
    onGateBelow(gate) {
      asked = asked.then(() => answerBelow(chat, gate));
    },
    write(text) {
      const shown = isSpeaking ? text : text.replace(/^\n+/, '');
      if (shown === '') return;
      printPiece(isSpeaking ? shown : `Reborn: ${shown}`);
      isSpeaking = true;
    },
    onEvent(event) {
      if (event.type !== 'item-done' || event.item.type !== 'function_call') return;
      if (isSpeaking) printPiece('\n');
      isSpeaking = false;
      const { name, arguments: json } = event.item;
      const card = cards.get(name);
      const values = card?.templates?.length ? '' : ` ${outlineArguments(json)}`;
      printLine(`Step: ${plainText(doesSentence({ name, arguments: json, card }))}${values}`);
    },
  });
  printPiece('\n');
  return answer;
}

const findGate = async ({ client, threadId }: LineChat): Promise<OpenGate | undefined> =>
  (await readGates(client)).find((open) => open.thread_id === threadId);

/** Nothing where more than a yes or no is needed. */
async function answerGate(chat: LineChat, gate: OpenGate): Promise<Answer | undefined> {
  if (gate.kind !== 'approval' || gate.question) return undefined;
  printLine(describeGate(gate));
  const body = await askApproval(chat);
  const params = { id: gate.id };
  return body && say(chat, (follower) => follower.call('POST /api/gates/{id}', { params, body }));
}

/** Asks what a subagent waits for. If somebody has answered it elsewhere by then, the service says so. */
async function answerBelow(chat: LineChat, gate: OpenGate): Promise<void> {
  if (gate.kind !== 'approval' || gate.question) return;
  printPiece('\n');
  printLine(describeGate(gate));
  const body = await askApproval(chat);
  if (body)
    await attempt(async () => void (await chat.client.call('POST /api/gates/{id}', { params: { id: gate.id }, body })));
}

/** Anything but a clear yes or no is asked again: a message that was meant for the agent approves and denies nothing. */
async function askApproval({ lines }: LineChat): Promise<GateAnswer | undefined> {
  for (;;) {
    printPiece('Approve? Type yes, no, or no and the reason: ');
    const said = (await lines.fresh())?.trim();
    if (said === undefined) return undefined;
    if (/^y(es)?$/i.test(said)) return { answer: 'approve' };
    const [isNo, reason] = /^no?(?:[\s,.:;-]+(.*))?$/i.exec(said) ?? [];
    if (isNo) return { answer: 'deny', ...(reason && { reason }) };
  }
}
