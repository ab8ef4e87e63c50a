import type { Documents } from '#documents/documents.ts';
import type { Principal } from '#domain/principal.ts';
import { matchesFilter } from '#domain/search/attribute-filter.ts';
import type { FoundInStore, StoreFile, StoreFindings, StoreSearch } from '#domain/search/vector-store.ts';

/** Searches the files of stores. A passage that several queries find keeps its best score. */
export async function searchFiles(
  documents: Pick<Documents, 'search'>,
  owner: Pick<Principal, 'userId'>,
  all: readonly StoreFile[],
  { limit, filter, leastScore = 0 }: StoreSearch,
  queries: readonly string[],
): Promise<StoreFindings> {
  const files = filter ? all.filter(({ attributes }) => matchesFilter(attributes, filter)) : all;
  const byDocument = new Map<string, StoreFile>();
  for (const file of files.filter(({ status }) => status === 'completed'))
    if (file.document !== null && !byDocument.has(file.document)) byDocument.set(file.document, file); // once, also under two names
  const searched = [...byDocument].map(([number, { sha256 }]) => ({ number, sha256 }));
  const best = new Map<string, FoundInStore>();
  for (const query of searched.length === 0 ? [] : queries)
    for (const passage of await documents.search(owner, searched, query, { limit, withNeighbours: 0 })) {
      const { number, document, page, text, score } = passage;
      const file = byDocument.get(document);
      if (file && score >= leastScore && score > (best.get(number)?.score ?? -1))
        best.set(number, { file, page, text, score });
    }
  return {
    found: [...best.values()].toSorted((one, other) => other.score - one.score).slice(0, limit),
    unread: files.filter(({ status }) => status !== 'completed').map(({ filename }) => filename),
  };
}
