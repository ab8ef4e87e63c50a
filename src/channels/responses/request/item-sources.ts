import type { Agent } from '#agent/agent.ts';
import type { Principal } from '#domain/principal.ts';
import { toKnownFiles } from '../../model-api/file-id.ts';
import { parseItemId, wireItemId } from '../response/output-items.ts';
import { type ItemSources, namedFiles, referencedIds } from './input-items.ts';

/** Finds what an unchecked list of items refers to. */
export async function findSources(
  agent: Pick<Agent, 'findItems' | 'findUploads' | 'openSummary'>,
  owner: Principal,
  items: unknown,
): Promise<ItemSources> {
  const ids = referencedIds(items).flatMap((id) => parseItemId(id) ?? []);
  const found = await agent.findItems(owner, ids);
  const uploads = await agent.findUploads(owner, namedFiles(items));
  return {
    known: new Map(found.map((item) => [wireItemId(item.type, item.id), item])),
    openSummary: (sealed) => agent.openSummary(owner, sealed),
    files: toKnownFiles(uploads),
  };
}
