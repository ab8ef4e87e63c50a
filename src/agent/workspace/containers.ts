import { InvalidRequest, NotFound } from '#domain/errors.ts';
import { newId, type UploadId, type WorkspaceId } from '#domain/ids.ts';
import type { Principal } from '#domain/principal.ts';
import type { Container } from '#domain/workspace/container.ts';
import { type Database, withOwner } from '#store/connection.ts';
import {
  type ContainerPage,
  countContainers,
  deleteContainer,
  insertContainer,
  listContainers,
  useContainer,
} from '#store/workspaces/containers.ts';
import { createContainerFiles } from './container-files.ts';
import type { StoredFiles } from './stored-files.ts';

type Owner = Pick<Principal, 'userId'>;

export type Containers = ReturnType<typeof createContainers>;

const MOST_CONTAINERS = 10_000;

/** Workspaces as callers of the API see them. Missing, foreign and expired ones all throw `NotFound`. */
export function createContainers(db: Database, stored: StoredFiles) {
  async function get(owner: Owner, id: WorkspaceId): Promise<Container> {
    const found = await withOwner(db, owner, (trx) => useContainer(trx, owner, id));
    if (!found) throw new NotFound('This container does not exist, or it has expired.');
    return found;
  }

  const { add, ...files } = createContainerFiles(db, stored, get);

  return {
    get,
    ...files,

    async create(
      owner: Owner,
      { uploads, ...given }: Pick<Container, 'name' | 'expiresMinutes'> & { readonly uploads: readonly UploadId[] },
    ): Promise<Container> {
      const uploaded = await files.uploadsOf(owner, uploads);
      const id = newId<WorkspaceId>();
      await withOwner(db, owner, async (trx) => {
        if ((await countContainers(trx, owner)) >= MOST_CONTAINERS)
          throw new InvalidRequest(
            'invalid_request',
            null,
            `You have ${MOST_CONTAINERS} containers already. Delete some.`,
          );
        await insertContainer(trx, owner, { id, ...given });
      });
      if (uploaded.length > 0) await add(owner, id, uploaded);
      return get(owner, id);
    },

    /** One more than a page, so that the caller knows whether there are others. */
    list: (owner: Owner, page: ContainerPage): Promise<Container[]> =>
      withOwner(db, owner, (trx) => listContainers(trx, owner, { ...page, limit: page.limit + 1 })),

    async remove(owner: Owner, id: WorkspaceId): Promise<void> {
      const { threadId } = await get(owner, id);
      if (threadId) throw new InvalidRequest('invalid_request', null, KEPT);
      await withOwner(db, owner, (trx) => deleteContainer(trx, owner, id));
    },
  };
}

const KEPT = 'This container has the files of a conversation, and is deleted with it. Delete the conversation instead.';
