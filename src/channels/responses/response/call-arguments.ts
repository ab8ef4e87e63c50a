import { isObject } from '#domain/is-object.ts';
import { jsonOf } from '#domain/text/json.ts';
import type { FunctionCallBody } from '#domain/thread/item.ts';

/** The arguments of a call, as the model wrote them. */
export function argumentsOf(call: Pick<FunctionCallBody, 'arguments'>): Record<string, unknown> {
  const given = jsonOf(call.arguments);
  return isObject(given) ? given : {}; // the output of the tool says so to the model
}
