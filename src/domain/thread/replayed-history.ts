import { newId } from '../ids.ts';
import { hashOfPart, isAttached } from './attachment.ts';
import { type ContentPart, type ItemBody, type MessageBody, type NewItem, text, textOf } from './item.ts';

/**
 * Whether a history that a caller sent again is the one of its thread, as far as the caller has seen it. `thread` are the
 * thread's items, `pendingCallId` is the call it waits for, and `replayed` ends with that call.
 */
export function agrees(thread: readonly ItemBody[], pendingCallId: string, replayed: readonly ItemBody[]): boolean {
  const seen = canonical(joinAnswers(visibleItems(thread, pendingCallId)));
  const sent = canonical(joinAnswers(replayed));
  return seen.length === sent.length && seen.every((entry, index) => entry === sent[index]);
}

/** Without the agent's tool calls, commentary beside an answer that has a format, calls that have not been returned yet, and instructions that came with a tool result. */
function visibleItems(items: readonly ItemBody[], pendingCallId: string): ItemBody[] {
  const answered = new Set(items.flatMap((item) => (item.type === 'function_call_output' ? item.callId : [])));
  const external = new Set(
    items.flatMap((item) =>
      item.type === 'function_call' && item.external && (answered.has(item.callId) || item.callId === pendingCallId)
        ? item.callId
        : [],
    ),
  );
  return items.filter((item) => {
    if (item.type === 'compaction') return true;
    return item.type === 'message' ? !item.phase && !isOnlyInstructions(item) : external.has(item.callId);
  });
}

/** Consecutive messages of the assistant as one, because some formats have only one text for an answer. */
function joinAnswers(items: readonly ItemBody[]): ItemBody[] {
  const joined: ItemBody[] = [];
  for (const item of items) {
    const last = joined.at(-1);
    if (!isAnswer(item)) joined.push(item);
    else if (item.content.length === 0 || (item.content.length === 1 && textOf(item.content) === '')) continue;
    else if (!last || !isAnswer(last)) joined.push(item);
    else joined[joined.length - 1] = { ...last, content: [...last.content, text(ANSWER_BREAK), ...item.content] };
  }
  return joined;
}

const isAnswer = (item: ItemBody): item is MessageBody => item.type === 'message' && item.role === 'assistant';

/** Between two messages of one answer, in a format that has them as one text. */
export const ANSWER_BREAK = '\n\n';

/** One line for each item. The output of a call follows it directly, because callers get the calls of one answer one by one. */
function canonical(items: readonly ItemBody[]): string[] {
  const outputs = Map.groupBy(
    items.filter((item) => item.type === 'function_call_output'),
    (item) => item.callId,
  );
  return items.flatMap((item) => {
    if (item.type === 'function_call_output') return [];
    if (item.type === 'compaction') return JSON.stringify([item.type, item.summary]);
    if (item.type === 'message')
      return JSON.stringify([item.role, ...contentOf(item.content, item.role === 'user' ? withoutFrame : String)]);
    const output = outputs.get(item.callId)?.shift();
    return [
      JSON.stringify([item.callId, item.name, normalJson(item.arguments)]),
      ...(output ? [JSON.stringify([item.callId, ...contentOf(output.output, String)])] : []),
    ];
  });
}

/** All text joined, because clients may split it differently. */
function contentOf(content: readonly ContentPart[], change: (text: string) => string): unknown[] {
  const attached = content.filter(isAttached).map((part) => [part.mediaType, hashOfPart(part)]);
  return [change(textOf(content)), ...attached];
}

/** Clients parse arguments and write them again. */
function normalJson(json: string): string {
  try {
    return JSON.stringify(JSON.parse(json));
  } catch {
    return json;
  }
}

const INSTRUCTIONS = /^<instructions>\n[^]*?\n<\/instructions>/;
const CONTEXT = /^<user-context>\n[^]*?\n<\/user-context>/;

/** The text of a user message without the blocks that the service put before it. */
function withoutFrame(framed: string): string {
  const rest = framed.replace(INSTRUCTIONS, '').replace(/^\n\n/, '');
  return rest.replace(CONTEXT, '').replace(/^\n\n/, '');
}

/** The instructions that apply after these items: those of the newest message that has any. */
export function instructionsOf(items: readonly ItemBody[]): string | undefined {
  const framed = items.findLast(
    (item) => item.type === 'message' && (item.role === 'user' || isOnlyInstructions(item)),
  );
  if (framed?.type !== 'message') return undefined;
  return INSTRUCTIONS.exec(textOf(framed.content))?.[0];
}

/** Whether a message holds only the instructions of a request. */
export function isOnlyInstructions(item: Extract<ItemBody, { type: 'message' }>): boolean {
  if (item.role !== 'developer') return false;
  const said = textOf(item.content);
  return INSTRUCTIONS.exec(said)?.[0] === said;
}

/** Instructions that came with a tool result: a message after it that holds only their block. */
export const instructionsMessage = (block: string): NewItem => ({
  id: newId(),
  type: 'message',
  role: 'developer',
  content: [text(block)],
  status: 'completed',
});
