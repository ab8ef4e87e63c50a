import { z } from 'zod';
import { hexFromUuid } from '#domain/ids.ts';
import { type FunctionCallBody, type FunctionCallOutputBody, type NewItem, textOf } from '#domain/thread/item.ts';
import { WEB_FETCH } from '#domain/tool/reserved-names.ts';
import { argumentsOf } from './call-arguments.ts';

export const webSearchCallId = z.string().regex(/^ws_[0-9a-f]{32}$/);

/** A search, or a page that was opened. */
export const webSearchCall = z
  .strictObject({
    id: webSearchCallId,
    type: z.literal('web_search_call'),
    status: z.enum(['in_progress', 'completed', 'failed', 'incomplete']),
    action: z.discriminatedUnion('type', [
      z.strictObject({
        type: z.literal('search'),
        query: z.string().describe('The first of `queries`.'),
        queries: z.array(z.string()),
        sources: z
          .array(z.strictObject({ type: z.literal('url'), url: z.string().min(1) }))
          .optional()
          .describe('Only with `include: ["web_search_call.action.sources"]`.'),
      }),
      z.strictObject({
        type: z.literal('open_page'),
        url: z.string().nullable().describe('null when more was read of a page that was opened before.'),
      }),
    ]),
  })
  .meta({ id: 'WebSearchCall', description: 'Only for requests with a hosted web search.' });

export type WebSearchCall = z.infer<typeof webSearchCall>;
type Call = NewItem & FunctionCallBody;
type Output = NewItem & FunctionCallOutputBody;
type View = { readonly sources: boolean };

export function renderWebSearch(
  view: View,
  call: Call,
  status: WebSearchCall['status'],
  output?: Output,
): WebSearchCall {
  return {
    id: `ws_${hexFromUuid(call.id)}`,
    type: 'web_search_call',
    status: output && isFailed(output) ? 'failed' : status,
    action: call.name === WEB_FETCH ? renderOpening(call) : renderSearch(view, call, output),
  };
}

/** How tools that search report an error, and how the service does for a call that it has not run. */
export const isFailed = ({ output }: Output): boolean => /^(?:\{"error":|Not run: )/.test(textOf(output));

function renderOpening(call: Call): WebSearchCall['action'] {
  const { url } = argumentsOf(call);
  return { type: 'open_page', url: typeof url === 'string' ? url : null };
}

/** As the model wrote them. */
export function queriesOf(call: Call): string[] {
  const given = argumentsOf(call)['queries'];
  return Array.isArray(given) ? given.filter((query) => typeof query === 'string') : [];
}

function renderSearch({ sources }: View, call: Call, output?: Output): WebSearchCall['action'] {
  const queries = queriesOf(call);
  const found = output?.reads?.results ?? [];
  return {
    type: 'search',
    query: queries[0] ?? '',
    queries,
    ...(sources && output && { sources: found.map((url) => ({ type: 'url' as const, url })) }),
  };
}
