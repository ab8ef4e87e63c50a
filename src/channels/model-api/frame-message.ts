import { block, escapeTags } from '#domain/text/block.ts';
import { type NewItem, text } from '#domain/thread/item.ts';
import { blocksMessage } from '#domain/thread/replayed-history.ts';

/**
 * Puts `instructions` and `x_context` as blocks ahead of the newest user message. They are stored with it, so that
 * later turns still see them. Without a user message, as with a tool result, they become a message at the end.
 */
export function frameMessage(
  items: readonly NewItem[],
  instructions: string | null,
  context: Readonly<Record<string, unknown>> | null,
): NewItem[] {
  const blocks = [
    ...(instructions ? [block('instructions', escapeTags(instructions))] : []),
    ...(context && Object.keys(context).length > 0
      ? [block('user-context', Object.entries(context).map(contextLine).join('\n'))]
      : []),
  ];
  if (blocks.length === 0) return [...items];
  const target = items.findLastIndex((item) => item.type === 'message' && item.role === 'user');
  if (target < 0) return [...items, blocksMessage(blocks)];
  return items.map((item, index) =>
    index === target && item.type === 'message'
      ? { ...item, content: prepend(`${blocks.join('\n\n')}\n\n`, item.content) }
      : item,
  );
}

function prepend(prefix: string, content: Extract<NewItem, { type: 'message' }>['content']) {
  const [first, ...rest] = content;
  const isOwn = first?.type === 'text' && first.origin !== 'others';
  return isOwn ? [text(prefix + first.text), ...rest] : [text(prefix), ...content];
}

/** Everything that a reader may take for the end of a line. */
const LINE_BREAK = /[\n\v\f\r\u0085\u2028\u2029]/g;

const SHORT: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r' };

const escapeBreak = (found: string) => SHORT[found] ?? `\\u${found.charCodeAt(0).toString(16).padStart(4, '0')}`;

function contextLine([key, value]: [string, unknown]): string {
  const line = isFlat(value)
    ? `[Context: ${key} - ${Object.entries(value)
        .map(([field, inner]) => `${field}: ${String(inner)}`)
        .join(', ')}]`
    : `[Context: ${key}: ${JSON.stringify(value)}]`;
  return escapeTags(line.replace(LINE_BREAK, escapeBreak));
}

function isFlat(value: unknown): value is Record<string, string | number | boolean | null> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const fields = Object.values(value);
  return fields.length > 0 && fields.every((field) => typeof field !== 'object' || field === null);
}
