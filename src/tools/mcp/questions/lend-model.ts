import type { RateLimit, RateUse } from '#store/spending/rate-windows.ts';
import { ModelRefused, type ToolContext } from '../../tool.ts';
import { McpFailure } from '../mcp-failure.ts';
import { cleanModelRequest } from './clean-model-request.ts';

/** Answers a request of a server to the model. Throws `McpFailure` when it is refused. */
export type LentModel = (params: unknown) => Promise<ModelResponse>;

export type ModelResponse = {
  readonly role: 'assistant';
  readonly content: { readonly type: 'text'; readonly text: string };
  readonly model: string;
  readonly stopReason: 'maxTokens' | 'endTurn';
};

/** Of one user and one server, besides the limit of each call. */
const RATE: RateLimit = { limit: 20, windowSeconds: 60 };

/** Lends the user's model to a server that the operator allows this; undefined for all others. */
export function lendModel(
  server: { readonly id: string; readonly sampling: boolean },
  takeUse: (key: string, limit: RateLimit) => Promise<RateUse>,
  { owner, askModel }: Pick<ToolContext, 'owner' | 'askModel'>,
): LentModel | undefined {
  if (!server.sampling || !askModel) return undefined;
  return async (params) => {
    const request = cleanModelRequest(params);
    const { isAllowed, retryInSeconds } = await takeUse(`mcp-sampling:${server.id}:${owner.userId}`, RATE);
    if (!isAllowed)
      throw new McpFailure('refused', `The server uses the model too often. Try again in ${retryInSeconds} seconds.`);
    try {
      const { text, model, isCut } = await askModel(request);
      const stopReason = isCut ? 'maxTokens' : 'endTurn';
      return { role: 'assistant', content: { type: 'text', text }, model, stopReason };
    } catch (error) {
      if (error instanceof ModelRefused) throw new McpFailure('refused', error.message);
      throw error;
    }
  };
}
