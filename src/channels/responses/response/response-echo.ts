import type { Turn } from '#domain/thread/turn.ts';
import type { ToolDefinition } from '#domain/tool/tool.ts';
import type { CreateRequest } from '../request/create-request.ts';

/** What of a request is shown again in its response, today and when it is retrieved. Kept with the turn. */
export type ResponseEcho = {
  readonly previousResponseId: string | null;
  readonly instructions: string | null;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly tools: readonly ToolDefinition[];
  readonly background: boolean;
};

export function toEcho(create: CreateRequest): ResponseEcho {
  return {
    previousResponseId: create.previousResponseId,
    instructions: create.instructions,
    metadata: create.metadata,
    tools: create.tools ?? [],
    background: create.background,
  };
}

/** A turn that came by another channel has nothing to echo, and can still be looked at. */
export const echoOf = (turn: Turn): ResponseEcho => ({ ...NOTHING, ...turn.request.echo });

const NOTHING: ResponseEcho = {
  previousResponseId: null,
  instructions: null,
  metadata: {},
  tools: [],
  background: false,
};
