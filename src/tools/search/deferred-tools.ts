import { z } from 'zod';
import { jsonOf } from '#domain/text/json.ts';
import { extensionOf } from '#domain/text/media-type.ts';
import { isAttached } from '#domain/thread/attachment.ts';
import { type ContentPart, type Item, partsOf, textOf } from '#domain/thread/item.ts';
import type { ToolDefinition } from '#domain/tool/tool.ts';
import { documentKindOf } from '#domain/workspace/document.ts';
import { shortSchemaOf } from '../builtin/short-schema.ts';
import { INERT, type Tool, type ToolSet } from '../tool.ts';
import { searchTools } from './search-tools.ts';

export const TOOL_SEARCH = 'reborn_tool_search';

/** Of one search. */
const MOST_FOUND = 5;

/** Of one thread: the definitions of older ones leave the prompt. */
const MOST_LOADED = 40;

/**
 * With more than `above` tools of MCP servers, the model gets a search for them, and the definitions of tools that it has
 * found or called. The items of the thread say which, so every replica and every attempt sends the same list.
 */
export function deferTools(all: ToolSet, history: readonly Item[], above: number, hasStores = false): ToolSet {
  const tools = offerDocuments(all, history, hasStores);
  const definitions = tools.definitions();
  const ofServers = definitions.filter(({ name }) => tools.find(name)?.server !== undefined);
  if (ofServers.length <= above) return tools;

  const deferred = new Map(ofServers.map((definition) => [definition.name, definition]));
  const loaded = loadedNames(history, deferred).flatMap((name) => deferred.get(name) ?? []);
  const search = createSearch(tools, ofServers);
  const always = definitions.filter(({ name }) => !deferred.has(name));
  return {
    find: (name) => (name === TOOL_SEARCH ? search : tools.find(name)),
    definitions: () => [...always, search.definition, ...loaded],
  };
}

/**
 * The tools for documents are offered from the first file on that a message brings or that the model has listed. The items say it,
 * as above. The search in vector stores is offered to requests that name some.
 */
function offerDocuments(tools: ToolSet, history: readonly Item[], hasStores: boolean): ToolSet {
  const hasDocuments = history.some((item) =>
    item.type === 'function_call'
      ? /^reborn_(?:file|document)_/.test(item.name)
      : item.type === 'message' && partsOf(item).some(isDocument),
  );
  const isOffered = (tool: Tool | undefined) =>
    (hasDocuments || !tool?.needsDocuments) && (hasStores || !tool?.needsStores);
  return {
    find: (name) => tools.find(name),
    definitions: () => tools.definitions().filter(({ name }) => isOffered(tools.find(name))),
  };
}

const isDocument = (part: ContentPart): boolean =>
  isAttached(part) && documentKindOf(part.filename ?? extensionOf(part.mediaType)) !== undefined;

function loadedNames(history: readonly Item[], deferred: ReadonlyMap<string, unknown>): string[] {
  const searches = new Set<string>();
  const names = new Set<string>();
  for (const item of history) {
    if (item.type === 'function_call') {
      if (item.name === TOOL_SEARCH) searches.add(item.callId);
      if (deferred.has(item.name)) names.add(item.name);
    } else if (item.type === 'function_call_output' && searches.has(item.callId))
      for (const name of foundIn(textOf(item.output))) names.add(name);
  }
  return [...names].slice(-MOST_LOADED);
}

const outputSchema = z.object({ tools: z.array(z.string()) });

const foundIn = (output: string): readonly string[] => outputSchema.safeParse(jsonOf(output)).data?.tools ?? [];

const argumentsSchema = z.object({ query: z.string().min(1) });

/** Its output has only names, which are ours; the descriptions are foreign text, and are wrapped where they are shown. */
function createSearch(tools: ToolSet, deferred: readonly ToolDefinition[]): Tool {
  const counts = Map.groupBy(deferred, ({ name }) => tools.find(name)?.server ?? '');
  const servers = [...counts].map(([server, its]) => `${server} (${its.length})`).join(', ');
  return {
    definition: {
      name: TOOL_SEARCH,
      description: `Finds more tools and makes them available from your next step on. Use it before you say that you can't do something. Servers, with the number of their tools: ${servers}.`,
      parameters: shortSchemaOf(
        z.strictObject({ query: z.string().describe('What the tool should do, in a few words.') }),
      ),
      strict: null,
    },
    repeatable: true,
    flow: INERT,
    level: 'allow',
    async call(argumentsJson) {
      const { data } = argumentsSchema.safeParse(jsonOf(argumentsJson));
      if (!data) return JSON.stringify({ error: 'query must be a text that is not empty.' });
      const found = searchTools(deferred, data.query, MOST_FOUND).map(({ name }) => name);
      return JSON.stringify(
        found.length > 0 ? { tools: found } : { tools: [], hint: 'Nothing fits. Try other words.' },
      );
    },
  };
}
