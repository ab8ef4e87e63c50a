import { newId } from '../ids.ts';
import { citeText, linkToSource } from '../search/cited-text.ts';
import { hashOfPart, isAttached } from './attachment.ts';
import { type ContentPart, type ItemBody, type MessageBody, type NewItem, text, textOf } from './item.ts';

/**
 * Whether a history that a caller sent again is the one of its thread, as far as the caller has seen it. `thread` are the
 * thread's items, `pendingCallId` is the call it waits for, and `replayed` ends with that call.
 */
export function agrees(thread: readonly ItemBody[], pendingCallId: string, replayed: readonly ItemBody[]): boolean {
  const seen = canonical(joinAnswers(visibleItems(thread, pendingCallId).map(withLinks)));
  const sent = canonical(joinAnswers(replayed));
  return seen.length === sent.length && seen.every((entry, index) => entry === sent[index]);
}

/** Callers have links in the place of the markers of sources. */
function withLinks(item: ItemBody): ItemBody {
  if (item.type !== 'message' || !item.citations) return item;
  return { ...item, content: [text(citeText(textOf(item.content), item.citations, linkToSource).text)] };
}

/** Without the agent's tool calls, commentary beside an answer that has a format, calls that have not been returned yet, and blocks that came without a message. */
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
    return item.type === 'message' ? !item.phase && !isOnlyBlocks(item) : external.has(item.callId);
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

/** The blocks that the service put before a text, and the text; each is empty if there is none. */
function readFrame(framed: string) {
  const [instructions = ''] = INSTRUCTIONS.exec(framed) ?? [];
  const unframed = framed.slice(instructions.length).replace(/^\n\n/, '');
  const [context = ''] = CONTEXT.exec(unframed) ?? [];
  return { instructions, context, rest: unframed.slice(context.length).replace(/^\n\n/, '') };
}

/** The text of a user message without the blocks that the service put before it. */
const withoutFrame = (framed: string): string => readFrame(framed).rest;

/** The instructions and the context that apply after these items: from the user's newest message, or from a later message that holds only blocks. */
export function blocksOf(items: readonly ItemBody[]): string[] {
  return (['instructions', 'context'] as const).flatMap((kind) => {
    const framed = items.findLast(
      (item) =>
        item.type === 'message' &&
        (item.role === 'user' || (isOnlyBlocks(item) && readFrame(textOf(item.content))[kind] !== '')),
    );
    const found = framed?.type === 'message' ? readFrame(textOf(framed.content))[kind] : '';
    return found === '' ? [] : found;
  });
}

/** Whether an item is a message that holds only the instructions or the context of a request. */
export function isOnlyBlocks(item: ItemBody): boolean {
  if (item.type !== 'message' || item.role !== 'developer') return false;
  const { instructions, context, rest } = readFrame(textOf(item.content));
  return rest === '' && instructions + context !== '';
}

/** Instructions and context that came without a message of the user, as with a tool result: a message that holds only their blocks. */
export const blocksMessage = (blocks: readonly string[]): NewItem => ({
  id: newId(),
  type: 'message',
  role: 'developer',
  content: [text(blocks.join('\n\n'))],
  status: 'completed',
});
