import type { Agent } from '#agent/agent.ts';
import { uuidFromHex } from '#domain/ids.ts';
import type { Principal } from '#domain/principal.ts';
import { isObject } from './json-value.ts';
import { type KnownItems, referencedIds } from './parse-input.ts';
import { wireItemId } from './render-response.ts';

/** The items that a request's input refers to, as far as they are the caller's own. */
export async function findReferenced(agent: Agent, owner: Principal, body: unknown): Promise<KnownItems> {
  const wanted = isObject(body) ? referencedIds(body['input']) : [];
  const ids = wanted.flatMap((id) => {
    const hex = /^(?:msg|fc|fco)_([0-9a-f]{32})$/.exec(id)?.[1];
    return hex ? uuidFromHex(hex) : [];
  });
  const items = await agent.findItems(owner, ids);
  return new Map(items.map((item) => [wireItemId(item.type, item.id), item]));
}
