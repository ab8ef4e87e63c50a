import { z } from 'zod';
import { hexFromUuid } from '#domain/ids.ts';
import { cut } from '#domain/text/cut.ts';
import { type FunctionCallBody, type FunctionCallOutputBody, type NewItem, textOf } from '#domain/thread/item.ts';

/** The value of `include` that adds the agent's tool calls to the output. */
export const TOOL_ACTIVITY = 'reborn.tool_activity';

/** Enough to show to a person. The model has read the whole output. */
const MAX_OUTPUT = 16_384;

/** A call of the agent's tools and its output. The public clients know this type and run nothing for it. */
export const mcpCall = z
  .strictObject({
    id: z.string().regex(/^mcp_[0-9a-f]{32}$/),
    type: z.literal('mcp_call'),
    status: z.literal('completed'),
    server_label: z.literal('reborn'),
    name: z.string().min(1),
    arguments: z.string().describe('JSON, as the model wrote it.'),
    output: z.string().describe(`Text only, at most ${MAX_OUTPUT.toLocaleString('en-US')} characters.`),
    error: z.null(),
  })
  .meta({ id: 'McpCall', description: `Only with \`include: ["${TOOL_ACTIVITY}"]\`.` });

export type McpCall = z.infer<typeof mcpCall>;
type Call = NewItem & FunctionCallBody;
type Output = NewItem & FunctionCallOutputBody;

/**
 * Reads the items of a turn in order. Returns the item to show when the output of one of the agent's calls comes, and
 * otherwise nothing.
 */
export function createToolActivity(isIncluded: boolean): (item: NewItem) => McpCall | undefined {
  const pending: Call[] = [];
  return (item) => {
    if (item.type === 'function_call') pending.push(item);
    if (item.type !== 'function_call_output') return undefined;
    const index = pending.findIndex(({ callId }) => callId === item.callId); // the first output answers the first call
    const [call] = index < 0 ? [] : pending.splice(index, 1);
    return isIncluded && call && !call.external ? renderActivity(call, item) : undefined;
  };
}

function renderActivity(call: Call, { output }: Output): McpCall {
  return {
    id: `mcp_${hexFromUuid(call.id)}`,
    type: 'mcp_call',
    status: 'completed',
    server_label: 'reborn',
    name: call.name,
    arguments: call.arguments,
    output: cut(textOf(output), MAX_OUTPUT),
    error: null,
  };
}
