import { isObject } from '#domain/is-object.ts';
import type { FunctionCallBody } from '#domain/thread/item.ts';

/** The arguments of a call, as the model wrote them. */
export function argumentsOf(call: Pick<FunctionCallBody, 'arguments'>): Record<string, unknown> {
  try {
    const given: unknown = JSON.parse(call.arguments);
    return isObject(given) ? given : {};
  } catch {
    return {}; // the output of the tool says so to the model
  }
}
