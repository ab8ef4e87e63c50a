import type { Agent } from '#agent/agent.ts';
import type { Principal } from '#domain/principal.ts';
import { parseItemId, wireItemId } from '../response/output-items.ts';
import { type KnownItems, referencedIds } from './input-items.ts';

/** The caller's items that an unchecked list of items refers to. */
export async function findReferenced(
  agent: Pick<Agent, 'findItems'>,
  owner: Principal,
  items: unknown,
): Promise<KnownItems> {
  const ids = referencedIds(items).flatMap((id) => parseItemId(id) ?? []);
  const found = await agent.findItems(owner, ids);
  return new Map(found.map((item) => [wireItemId(item.type, item.id), item]));
}
