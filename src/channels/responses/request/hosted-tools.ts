import { InvalidRequest } from '#domain/errors.ts';
import type { UploadId, WorkspaceId } from '#domain/ids.ts';
import { isObject } from '#domain/is-object.ts';
import type { SearchOptions } from '#domain/search/search-options.ts';
import type { StoreSearch } from '#domain/search/vector-store.ts';
import { STORE_SEARCH, WEB_FETCH, WEB_SEARCH } from '#domain/tool/reserved-names.ts';
import { parseContainerId } from '../../model-api/container-id.ts';
import { parseFileId } from '../../model-api/file-id.ts';
import { NO_ENGINE, parseHostedSearch } from '../../model-api/search-options.ts';
import { parseFileSearch } from '../../model-api/store-search.ts';

/** The value of `include` that adds what code has printed and drawn. */
export const CODE_OUTPUTS = 'code_interpreter_call.outputs';

/** The value of `include` that adds the addresses that a search has found. */
export const SEARCH_SOURCES = 'web_search_call.action.sources';

/** The value of `include` that adds the passages that a search in vector stores has found. */
export const FILE_RESULTS = 'file_search_call.results';

/** Tools of the reference format that run here, and the agent's tools that they are views of. Without the first, there is no view. */
const HOSTED_TOOLS = {
  code_interpreter: ['reborn_python'],
  shell: ['reborn_shell'],
  web_search: [WEB_SEARCH, WEB_FETCH],
  file_search: [STORE_SEARCH],
} as const;
export type HostedTool = keyof typeof HOSTED_TOOLS;

/** Whether a call of the agent's tool is shown as this one. */
export const isViewOf = (tool: HostedTool, name: string): boolean => HOSTED_TOOLS[tool].some((each) => each === name);

/** The search has several names, which mean the same here. */
export const SEARCH_TYPES = [
  'web_search',
  'web_search_2025_08_26',
  'web_search_preview',
  'web_search_preview_2025_03_11',
] as const;
export type SearchType = (typeof SEARCH_TYPES)[number];

/** The hosted tools of a request. */
export type HostedTools = {
  readonly tools: readonly HostedTool[];
  /** Where they work; undefined: on the files of the thread. */
  readonly container: WorkspaceId | undefined;
  /** Files that are added to the thread's files. */
  readonly uploads: readonly UploadId[];
  /** Whether the response has what code has printed and drawn. */
  readonly outputs: boolean;
  /** Whether the response has the addresses that searches have found. */
  readonly sources: boolean;
  /** Whether the response has the passages that were found in vector stores. */
  readonly results: boolean;
  /** The vector stores that can be searched. */
  readonly stores: StoreSearch | undefined;
  /** What the request says about searches; undefined without a search. */
  readonly search: { readonly type: SearchType; readonly options: SearchOptions } | undefined;
};

type Rules = Pick<HostedTools, 'outputs' | 'sources' | 'results'> & {
  readonly served: readonly HostedTool[];
  /** Knows the names of the agent's tools. */
  readonly isTaken: (name: string) => boolean;
};

export const isHosted = (tool: unknown, served: readonly HostedTool[]): boolean =>
  hostedTypeOf(tool, served) !== undefined;

function hostedTypeOf(tool: unknown, served: readonly HostedTool[]): HostedTool | undefined {
  if (!isObject(tool)) return undefined;
  const type = SEARCH_TYPES.some((each) => each === tool['type']) ? 'web_search' : tool['type'];
  return served.find((each) => each === type);
}

/** The hosted tools in a list; undefined when there are none. */
export function parseHosted(given: unknown, { served, isTaken, ...included }: Rules): HostedTools | undefined {
  if (!Array.isArray(given)) return undefined;
  const listed = given.flatMap((tool: unknown, index): ListedTool[] => {
    const type = hostedTypeOf(tool, served);
    return isObject(tool) && type ? [{ tool, type, param: `tools[${index}]` }] : [];
  });
  if (listed.length === 0) return undefined;
  for (const { type, param } of listed)
    if (!isTaken(HOSTED_TOOLS[type][0])) throw refuse(`${param}.type`, type === 'web_search' ? NO_ENGINE : NO_CODE);
  const { outputs, sources, results } = included;
  const ofType = (...types: HostedTool[]) => listed.filter(({ type }) => types.includes(type));
  return {
    tools: [...new Set(listed.map(({ type }) => type))],
    outputs,
    sources,
    results,
    ...parsePlaces(ofType('code_interpreter', 'shell')),
    search: parseSearch(ofType('web_search')),
    stores: parseStores(ofType('file_search')),
  };
}

type ListedTool = { readonly tool: Record<string, unknown>; readonly type: HostedTool; readonly param: string };

const NO_CODE = "Code can't run on this service: it has no sandbox for it. Leave the tool out.";

function parseSearch([first, second]: readonly ListedTool[]): HostedTools['search'] {
  if (!first) return undefined;
  if (second) throw refuse(second.param, 'A request can list one web search.');
  return { type: first.tool['type'] as SearchType, options: parseHostedSearch(first.tool, first.param) };
}

function parseStores([first, second]: readonly ListedTool[]): StoreSearch | undefined {
  if (second) throw refuse(second.param, 'A request can list one file search. It can name several vector stores.');
  return first && parseFileSearch(first.tool, first.param);
}

/** Where code runs. All tools that run code work on the same files. */
function parsePlaces(listed: readonly ListedTool[]): Place {
  const places = listed.map(({ tool, param }) => ({ ...parsePlace(tool, param), param }));
  const container = places[0]?.container;
  const other = places.find((each) => each.container !== container);
  if (other) throw refuse(other.param, 'All hosted tools of a request must use the same container.');
  return { container, uploads: places.flatMap(({ uploads }) => uploads) };
}

type Place = Pick<HostedTools, 'container' | 'uploads'>;

function parsePlace({ type, container, environment }: Record<string, unknown>, param: string): Place {
  if (type === 'shell') return parseEnvironment(environment, `${param}.environment`);
  if (typeof container === 'string') return reference(container, `${param}.container`);
  if (isObject(container) && container['type'] === 'auto') return automatic(container, `${param}.container`);
  throw refuse(`${param}.container`, 'container must be the id of a container, or an object of type "auto".');
}

function parseEnvironment(given: unknown, param: string): Place {
  if (given === undefined || given === null) return { container: undefined, uploads: [] };
  if (isObject(given) && given['type'] === 'container_auto') return automatic(given, param);
  if (isObject(given) && given['type'] === 'container_reference')
    return reference(given['container_id'], `${param}.container_id`);
  throw refuse(
    param,
    'environment must be of type "container_auto" or "container_reference". For commands on your own machine, declare a function.',
  );
}

function reference(given: unknown, param: string): Place {
  const container = typeof given === 'string' ? parseContainerId(given) : undefined;
  if (!container) throw refuse(param, NO_CONTAINER);
  return { container, uploads: [] };
}

export const NO_CONTAINER = 'This container does not exist, or it has expired. Create one with /v1/containers.';

function automatic({ file_ids: files, network_policy: network }: Record<string, unknown>, param: string): Place {
  if (isObject(network) && network['type'] !== 'disabled')
    throw refuse(`${param}.network_policy`, 'Code has no network here. Leave network_policy out.');
  if (files === undefined || files === null) return { container: undefined, uploads: [] };
  const ids = Array.isArray(files)
    ? files.map((id: unknown) => (typeof id === 'string' ? parseFileId(id) : undefined))
    : [undefined];
  const uploads = ids.filter((id) => id !== undefined);
  if (uploads.length < ids.length)
    throw refuse(`${param}.file_ids`, 'file_ids must be a list of ids of uploaded files.');
  return { container: undefined, uploads };
}

const refuse = (param: string, message: string) => new InvalidRequest('invalid_tool', param, message);
