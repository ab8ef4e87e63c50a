import { NotFound } from '#domain/errors.ts';
import { newId, type UploadId } from '#domain/ids.ts';
import type { Principal } from '#domain/principal.ts';
import { cleanMediaType, mediaTypeOf } from '#domain/text/media-type.ts';
import { hashOf } from '#domain/thread/attachment.ts';
import { documentKindOf } from '#domain/workspace/document.ts';
import { pathFor } from '#domain/workspace/path.ts';
import type { Upload } from '#domain/workspace/upload.ts';
import { type Database, withOwner } from '#store/connection.ts';
import { insertDocument } from '#store/documents/documents.ts';
import {
  countUploads,
  deleteUpload,
  findUploads,
  insertUpload,
  listUploads,
  type UploadPage,
} from '#store/workspaces/uploads.ts';
import { asInvalid, notStored, type StoredFiles } from './stored-files.ts';

type Owner = Pick<Principal, 'userId'>;

type NewUpload = Pick<Upload, 'filename' | 'mediaType' | 'purpose'> & { readonly content: Buffer };

export type Uploads = ReturnType<typeof createUploads>;

/** Files that their owner has uploaded, to name them in later requests. Missing and foreign ones both throw `NotFound`. */
export function createUploads(db: Database, stored: StoredFiles) {
  const get = async (owner: Owner, id: UploadId): Promise<Upload> => {
    const [found] = await withOwner(db, owner, (trx) => findUploads(trx, owner, [id]));
    if (!found) throw missing();
    return found;
  };

  return {
    get,

    /** Stores a file. Others may have chosen its name: only the visible characters of the last part are kept. */
    async create(owner: Owner, { filename: given, mediaType: declared, purpose, content }: NewUpload): Promise<Upload> {
      const filename = pathFor(given, () => false);
      const mediaType = UNSPECIFIC.test(declared) ? mediaTypeOf(filename) : cleanMediaType(declared);
      const count = await withOwner(db, owner, (trx) => countUploads(trx, owner));
      if (count >= MOST_UPLOADS) throw notStored('file', `you have ${count} files already. Delete some`);
      const sha256 = hashOf(content);
      await stored.storeWithin(owner, new Map([[sha256, content]])).catch(asInvalid('file'));
      const upload = { id: newId<UploadId>(), filename, mediaType, purpose, sha256, bytes: content.length };
      const kind = documentKindOf(filename);
      return withOwner(db, owner, async (trx) => {
        if (kind) await insertDocument(trx, owner, { sha256, kind });
        return insertUpload(trx, owner, upload);
      });
    },

    /** One more than a page, so that the caller knows whether there are others. */
    list: (owner: Owner, page: UploadPage): Promise<Upload[]> =>
      withOwner(db, owner, (trx) => listUploads(trx, owner, { ...page, limit: page.limit + 1 })),

    /** The file, whose bytes are read on request. */
    async open(owner: Owner, id: UploadId) {
      const upload = await get(owner, id);
      return { upload, read: async () => (await stored.bytesOf(owner, [upload]))[0] ?? Buffer.of() };
    },

    /** Items that were sent with it keep their bytes. */
    async remove(owner: Owner, id: UploadId): Promise<void> {
      if (!(await withOwner(db, owner, (trx) => deleteUpload(trx, owner, id)))) throw missing();
    },
  };
}

const MOST_UPLOADS = 10_000;

/** What clients send when they don't know better. */
const UNSPECIFIC = /^(?:application\/octet-stream|binary\/octet-stream)?$/i;

const missing = () => new NotFound('This file does not exist.');
