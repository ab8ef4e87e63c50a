import { InvalidRequest } from '#domain/errors.ts';
import type { UploadId, WorkspaceId } from '#domain/ids.ts';
import { isObject } from '#domain/is-object.ts';
import { parseContainerId } from '../../model-api/container-id.ts';
import { parseFileId } from '../../model-api/file-id.ts';

/** The value of `include` that adds what code has printed and drawn. */
export const CODE_OUTPUTS = 'code_interpreter_call.outputs';

/** Tools of the reference format that run here, and the agent's tools that they are views of. */
export const HOSTED_TOOLS = { code_interpreter: 'reborn_python', shell: 'reborn_shell' } as const;
export type HostedTool = keyof typeof HOSTED_TOOLS;

/** The hosted tools of a request. */
export type HostedTools = {
  readonly tools: readonly HostedTool[];
  /** Where they work; undefined: on the files of the thread. */
  readonly container: WorkspaceId | undefined;
  /** Files that are added to the thread's files. */
  readonly uploads: readonly UploadId[];
  /** Whether the response has what code has printed and drawn. */
  readonly outputs: boolean;
};

type Rules = {
  readonly served: readonly HostedTool[];
  /** Knows the names of the agent's tools. */
  readonly isTaken: (name: string) => boolean;
  readonly outputs: boolean;
};

export const isHosted = (tool: unknown, served: readonly HostedTool[]): boolean =>
  isObject(tool) && served.some((type) => type === tool['type']);

/** The hosted tools in a list; undefined when there are none. They all work on the same files. */
export function parseHosted(given: unknown, { served, isTaken, outputs }: Rules): HostedTools | undefined {
  if (!Array.isArray(given)) return undefined;
  const listed = given.flatMap((tool: unknown, index) =>
    isObject(tool) && isHosted(tool, served)
      ? [{ type: tool['type'] as HostedTool, ...parsePlace(tool, `tools[${index}]`), param: `tools[${index}]` }]
      : [],
  );
  const [first] = listed;
  if (!first) return undefined;
  for (const { type, container, param } of listed) {
    if (!isTaken(HOSTED_TOOLS[type])) throw refuse(`${param}.type`, NO_CODE);
    if (container !== first.container)
      throw refuse(param, 'All hosted tools of a request must use the same container.');
  }
  const tools = [...new Set(listed.map(({ type }) => type))];
  return { tools, container: first.container, uploads: listed.flatMap(({ uploads }) => uploads), outputs };
}

const NO_CODE = "Code can't run on this service: it has no sandbox for it. Leave the tool out.";

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
