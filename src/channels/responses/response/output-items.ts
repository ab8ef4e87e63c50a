import { z } from 'zod';
import { hexFromUuid, type ItemId, uuidFromHex } from '#domain/ids.ts';
import type { CompactionBody, MessageBody, NewItem } from '#domain/thread/item.ts';
import type { GatedCall } from '#domain/tool/gate.ts';
import { bareName } from '#domain/tool/tool.ts';
import { type CiteFiles, containerFileCitation, fileCitation } from './file-citations.ts';
import { fileSearchCall } from './file-search-calls.ts';
import { codeInterpreterCall, shellCall, shellCallOutput } from './hosted-calls.ts';
import { mcpCall } from './tool-activity.ts';
import { renderSources, urlCitation } from './url-citations.ts';
import { webSearchCall } from './web-search-calls.ts';

export const annotation = z
  .discriminatedUnion('type', [containerFileCitation, fileCitation, urlCitation])
  .meta({ id: 'Annotation' });
export type Annotation = z.infer<typeof annotation>;

/** A part of a message. It never has probabilities. */
export const outputText = z
  .strictObject({
    type: z.literal('output_text'),
    text: z.string(),
    annotations: z.array(annotation),
    logprobs: z.array(z.never()),
  })
  .meta({ id: 'OutputText' });

export const messageId = z.string().regex(/^msg_[0-9a-f]{32}$/);

export const outputMessage = z
  .strictObject({
    id: messageId,
    type: z.literal('message'),
    role: z.literal('assistant'),
    status: z.enum(['completed', 'incomplete']),
    content: z.array(outputText).length(1),
  })
  .meta({ id: 'OutputMessage' });

/** A message whose text is still to come. */
export const emptyMessage = z
  .strictObject({
    id: messageId,
    type: z.literal('message'),
    role: z.literal('assistant'),
    status: z.literal('in_progress'),
    content: z.array(z.never()),
  })
  .meta({ id: 'EmptyMessage' });

export const functionCallId = z.string().regex(/^fc_[0-9a-f]{32}$/);

export const functionCall = z
  .strictObject({
    id: functionCallId,
    type: z.literal('function_call'),
    status: z.literal('completed'),
    call_id: z.string().min(1),
    name: z.string().min(1),
    namespace: z.string().optional().describe('The group of tools that it was declared in.'),
    arguments: z.string().describe('JSON, as the model wrote it.'),
  })
  .meta({ id: 'FunctionCall' });

export const compactionItem = z
  .strictObject({
    id: z.string().regex(/^cmp_[0-9a-f]{32}$/),
    type: z.literal('compaction'),
    encrypted_content: z.string().min(1).describe('Send it back as it is. Only this service can read it.'),
  })
  .meta({ id: 'Compaction' });

export const summaryText = z
  .strictObject({ type: z.literal('summary_text'), text: z.string() })
  .meta({ id: 'SummaryText' });

export const reasoningId = z.string().regex(/^rs_[0-9a-f]{32}$/);

/** What the model thought before the next item. */
export const reasoningItem = z
  .strictObject({ id: reasoningId, type: z.literal('reasoning'), summary: z.array(summaryText) })
  .meta({ id: 'Reasoning' });

/** All that a response can have besides messages. */
export const outputsOfSteps = [
  functionCall,
  mcpCall,
  codeInterpreterCall,
  shellCall,
  shellCallOutput,
  webSearchCall,
  fileSearchCall,
  compactionItem,
  reasoningItem,
] as const;

export const outputItem = z.discriminatedUnion('type', [outputMessage, ...outputsOfSteps]).meta({ id: 'OutputItem' });

type OutputText = z.infer<typeof outputText>;
export type OutputItem = z.infer<typeof outputItem>;
type OutputMessage = z.infer<typeof outputMessage>;
type FunctionCall = z.infer<typeof functionCall>;

export function renderItem(item: Exclude<NewItem, { type: 'function_call_output' }>) {
  switch (item.type) {
    case 'message':
      return renderMessage(item);
    case 'function_call':
      return renderCall(item);
    case 'compaction':
      return renderCompaction(item);
  }
}

/** The text of a message. What it cites of files is searched for in the text that is shown. */
export function renderSaid(item: MessageBody, citeFiles: CiteFiles = () => []): OutputText {
  const { text, annotations } = renderSources(item);
  return renderText(text, [...annotations, ...citeFiles(text)]);
}

/** A message of the assistant, from this turn or from the caller's input. */
export function renderMessage(item: NewItem & MessageBody, citations?: CiteFiles): OutputMessage {
  return {
    id: wireItemId(item.type, item.id),
    type: item.type,
    role: 'assistant',
    status: item.status,
    content: [renderSaid(item, citations)],
  };
}

export function renderCall(call: GatedCall): FunctionCall {
  return {
    id: wireItemId(call.type, call.id),
    type: call.type,
    status: 'completed',
    call_id: call.callId,
    name: bareName(call),
    ...(call.namespace !== undefined && { namespace: call.namespace }),
    arguments: call.arguments,
  };
}

export const renderCompaction = (item: NewItem & CompactionBody): z.infer<typeof compactionItem> => ({
  id: wireItemId(item.type, item.id),
  type: item.type,
  encrypted_content: item.sealed,
});

/** The item that shows the reasoning before `item`, if there is any. Its id follows from the item's. */
export function renderReasoningBefore(item: NewItem): z.infer<typeof reasoningItem>[] {
  if (!('reasoning' in item) || !item.reasoning) return [];
  return [
    {
      id: `rs_${hexFromUuid(item.id)}`,
      type: 'reasoning',
      summary: item.reasoning.map((text) => ({ type: 'summary_text', text })),
    },
  ];
}

const ITEM_PREFIX = { message: 'msg', function_call: 'fc', function_call_output: 'fco', compaction: 'cmp' } as const;

export const wireItemId = (type: NewItem['type'], id: ItemId) => `${ITEM_PREFIX[type]}_${hexFromUuid(id)}`;

/** undefined when it is not the id of an item. */
export function parseItemId(id: string): ItemId | undefined {
  const hex = /^(?:msg|fc|fco|cmp)_([0-9a-f]{32})$/.exec(id)?.[1];
  return hex === undefined ? undefined : uuidFromHex(hex);
}

export const renderText = (said: string, citations: readonly Annotation[] = []): OutputText => ({
  type: 'output_text',
  text: said,
  annotations: [...citations],
  logprobs: [],
});
