import { isObject } from '#domain/is-object.ts';
import { type ItemBody, text } from '#domain/thread/item.ts';
import { TOOL_NAME } from '../../model-api/caller-tools.ts';
import { isShallow } from '../../model-api/json-value.ts';

/** Calls of tools that only other services offer: the name of the tool, and what it was given. */
const CALLS: Readonly<Record<string, (item: Record<string, unknown>) => [name: unknown, given: unknown]>> = {
  custom_tool_call: ({ name, input }) => [name, { input }],
  local_shell_call: ({ action }) => ['local_shell', action],
  shell_call: ({ action }) => ['shell', action],
  apply_patch_call: ({ operation }) => ['apply_patch', operation],
};

/** The types of items that other services make, and that clients replay with a history. */
export const FOREIGN_TYPES = [
  ...Object.keys(CALLS).flatMap((type) => [type, `${type}_output`]),
  'web_search_call',
  'file_search_call',
  'code_interpreter_call',
  'image_generation_call',
  'computer_call',
  'computer_call_output',
  'tool_search_call',
  'tool_search_output',
  'program',
  'program_output',
  'mcp_list_tools',
  'mcp_approval_request',
  'mcp_approval_response',
  'additional_tools',
  'configuration_update',
  'compaction_trigger',
];

const TYPES: ReadonlySet<unknown> = new Set(FOREIGN_TYPES);

export const isForeign = (item: Record<string, unknown>): boolean => TYPES.has(item['type']);

const MAX_DEPTH = 100;

/**
 * The calls in unchecked items that a tool of another service has answered, and their outputs, as the model can read them.
 * Everything else of another service is passed over: what came of it is in the messages.
 */
export function readForeignCalls(items: readonly unknown[]): ReadonlyMap<unknown, ItemBody> {
  const read = new Map<unknown, ItemBody>();
  const open = new Map<string, Record<string, unknown>>(); // calls without an output, by the type of the output and the call id
  for (const item of items.filter(isObject)) {
    const { type, call_id: callId = item['id'] } = item;
    if (typeof type !== 'string' || typeof callId !== 'string' || callId === '') continue;
    if (Object.hasOwn(CALLS, type)) open.set(`${type}_output ${callId}`, item);
    const call = open.get(`${type} ${callId}`);
    const body = call && readCall(call, callId);
    if (!body) continue;
    open.delete(`${type} ${callId}`);
    read.set(call, body);
    read.set(item, { type: 'function_call_output', callId, output: [text(textIn(item['output']))] });
  }
  return read;
}

/** undefined for a call that no model would accept. */
function readCall(item: Record<string, unknown>, callId: string): ItemBody | undefined {
  const [name, given] = CALLS[String(item['type'])]?.(item) ?? [];
  if (typeof name !== 'string' || !TOOL_NAME.test(name) || !isShallow(given, MAX_DEPTH)) return undefined;
  return { type: 'function_call', callId, name, arguments: JSON.stringify(given ?? {}), external: true };
}

/** An output is a text, or a list of texts, images, files and results of commands. */
function textIn(output: unknown): string {
  if (typeof output === 'string') return output;
  const parts = Array.isArray(output) ? output.filter(isObject) : [];
  return parts
    .flatMap((part) => [part['text'], part['stdout'], part['stderr']])
    .filter((each) => typeof each === 'string' && each !== '')
    .join('\n');
}
