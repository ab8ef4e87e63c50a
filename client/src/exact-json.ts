/** A JSON text for a person to read, and what they should know about it. */
export type ExactJson = { readonly text: string; readonly warnings: readonly string[] };

/**
 * Lays out JSON for reading without changing what it says: only the space between tokens differs, so a repeated key or
 * a long number looks as it is. Anything that is not JSON stays as written. Characters that a screen does not show, or
 * that reorder others, become escapes.
 */
export function exactJson(source: string): ExactJson {
  const { text, repeatedKeys } = isJson(source) ? layOut(source) : { text: source, repeatedKeys: [] };
  const visible = escapeInvisible(text);
  return {
    text: visible,
    warnings: [
      ...repeatedKeys.map(
        (key) => `The key ${escapeInvisible(key)} appears more than once. The tool decides which value counts.`,
      ),
      ...(visible === text ? [] : ['Invisible or reordering characters are shown as escapes such as \\u202e.']),
    ],
  };
}

/** Every character of `text` that a screen would not show, or that changes how others are shown, as a JSON escape. */
export function escapeInvisible(text: string): string {
  return text.replace(INVISIBLE, escape).replace(PILED_MARKS, (marks) => marks.slice(0, 4) + escape(marks.slice(4)));
}

/** Controls but the line break, formatting and private characters, half surrogates, odd spaces, fillers, blank braille. */
const INVISIBLE = /(?!\n)[\p{C}\p{Default_Ignorable_Code_Point}\p{Zl}\p{Zp}\u2800]|(?! )\p{Zs}/gu;

/** More marks on one letter than any script uses would cover the lines above and below. */
const PILED_MARKS = /\p{M}{5,}/gu;

const escape = (text: string) =>
  Array.from({ length: text.length }, (_, at) => `\\u${text.charCodeAt(at).toString(16).padStart(4, '0')}`).join('');

function isJson(source: string): boolean {
  try {
    JSON.parse(source);
    return true;
  } catch {
    return false;
  }
}

const TOKEN = /"[^"\\]*(?:\\.[^"\\]*)*"|[{}[\],:]|[^\s{}[\],:"]+/g;

/** Whether `value` is all that `source` says: no repeated key and no number with too many digits was lost on the way. */
export function isExactly(source: string, value: unknown): boolean {
  return JSON.stringify(value) === source.match(TOKEN)?.join('');
}

/** Deeper levels are not indented further: the indent of a hostile text would outgrow any memory. */
const DEEPEST = 20;

function layOut(source: string): { text: string; repeatedKeys: string[] } {
  const open: { isObject: boolean; keys: Set<unknown> }[] = [];
  const repeated = new Set<string>();
  let text = '';
  let previous = '';
  const line = () => `\n${'  '.repeat(Math.min(open.length, DEEPEST))}`;
  for (const [token] of source.matchAll(TOKEN)) {
    const isClosing = token === '}' || token === ']';
    if (isClosing) open.pop();
    const isFirst = previous === '{' || previous === '[';
    if (isClosing ? !isFirst : isFirst || previous === ',') text += line();
    if (previous === ':') text += ' ';
    text += token;

    const inside = open.at(-1);
    if (inside?.isObject && !isClosing && (previous === '{' || previous === ',')) {
      const key: unknown = JSON.parse(token);
      if (inside.keys.has(key)) repeated.add(token);
      inside.keys.add(key);
    }
    if (token === '{' || token === '[') open.push({ isObject: token === '{', keys: new Set() });
    previous = token;
  }
  return { text, repeatedKeys: [...repeated] };
}
