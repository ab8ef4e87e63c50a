import type { ThreadId } from '#domain/ids.ts';
import type { Turn } from '#domain/thread/turn.ts';
import type { ToolDefinition } from '#domain/tool/tool.ts';
import type { HostedTools, SearchType } from '../request/hosted-tools.ts';

/** The fields of a request that its response repeats. They are stored with the turn, for retrieval. */
export type ResponseEcho = {
  readonly previousResponseId: string | null;
  /** Whether the request named its thread as a conversation. */
  readonly inConversation: boolean;
  readonly instructions: string | null;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly tools: readonly ToolDefinition[];
  readonly background: boolean;
  /** false: the turn is deleted once its response was delivered. */
  readonly store: boolean;
  /** Whether the output has the agent's tool calls. */
  readonly toolActivity: boolean;
  /** The hosted tools whose calls the output has. */
  readonly hosted?: Pick<HostedTools, 'tools' | 'outputs'> & {
    readonly sources?: boolean;
    readonly results?: boolean;
    /** As the request called its search. */
    readonly search?: SearchType;
  };
};

type EchoedRequest = Omit<ResponseEcho, 'tools' | 'inConversation' | 'hosted'> & {
  readonly hosted: HostedTools | undefined;
  readonly tools: readonly ToolDefinition[] | undefined;
  readonly conversation: ThreadId | undefined;
};

export function toEcho(create: EchoedRequest): ResponseEcho {
  return {
    previousResponseId: create.previousResponseId,
    inConversation: create.conversation !== undefined,
    instructions: create.instructions,
    metadata: create.metadata,
    tools: create.tools ?? [],
    background: create.background,
    store: create.store,
    toolActivity: create.toolActivity,
    ...(create.hosted && { hosted: echoHosted(create.hosted) }),
  };
}

const echoHosted = ({
  tools,
  outputs,
  sources,
  search,
  results,
  stores,
}: HostedTools): NonNullable<ResponseEcho['hosted']> => ({
  tools,
  outputs,
  ...(search && { sources, search: search.type }),
  ...(stores && { results }),
});

/** A turn of another channel has no such fields. */
export const echoOf = (turn: Turn): ResponseEcho => ({ ...NOTHING, ...turn.request.echo });

const NOTHING: ResponseEcho = {
  previousResponseId: null,
  inConversation: false,
  instructions: null,
  metadata: {},
  tools: [],
  background: false,
  store: true,
  toolActivity: false,
};
