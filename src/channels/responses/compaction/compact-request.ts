import { z } from 'zod';
import { InvalidRequest } from '#domain/errors.ts';
import type { TurnIds } from '#domain/ids.ts';
import { isObject } from '#domain/is-object.ts';
import { block, escapeTags } from '#domain/text/block.ts';
import type { NewItem } from '#domain/thread/item.ts';
import { blocksMessage } from '#domain/thread/replayed-history.ts';
import { MODEL } from '../../model-api/request-fields.ts';
import { parseInstructions, parsePrevious } from '../request/create-request.ts';
import { type ItemSources, inputItems, parseInput } from '../request/input-items.ts';
import { responseId } from '../response/response-object.ts';

/** The published schema of the body; `parseCompact` checks it. */
export const compactRequest = z
  .looseObject({
    model: MODEL.schema,
    input: inputItems.nullish().describe('Follows the thread of `previous_response_id`; one of the two is required.'),
    previous_response_id: responseId.nullish().describe('The thread of that response is compacted. It stays as it is.'),
    instructions: z.string().nullish().describe('Read as part of the conversation.'),
  })
  .meta({ id: 'CompactConversation', description: 'Unknown fields are ignored.' });

export type CompactRequest = {
  readonly model: string;
  readonly previous: TurnIds | undefined;
  readonly items: readonly NewItem[];
};

export function parseCompact(body: unknown, sources: ItemSources): CompactRequest {
  if (!isObject(body)) throw new InvalidRequest('invalid_request', null, 'The body must be a JSON object.');
  const model = MODEL.parse(body['model']);
  const previous = parsePrevious(body['previous_response_id']);
  const instructions = parseInstructions(body['instructions']);
  const isOmitted = previous !== null && (body['input'] ?? null) === null;
  const items = isOmitted ? [] : parseInput(body['input'], previous !== null, sources);
  const framed = instructions ? [blocksMessage([block('instructions', escapeTags(instructions))])] : [];
  return { model, previous: previous?.ids, items: [...framed, ...items] };
}
