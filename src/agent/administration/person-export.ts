import { RateLimited } from '#domain/errors.ts';
import type { AttachmentHash } from '#domain/ids.ts';
import type { Principal, UserId } from '#domain/principal.ts';
import type { Database } from '#store/connection.ts';
import { type PersonRow, readPersonRows } from '#store/person-rows.ts';
import type { Attachments } from '../attachments/attachments.ts';
import { isUnreachable } from '../attachments/stored-bytes.ts';

export type PersonExport = ReturnType<typeof createPersonExport>;

type ReadAccount = (userId: UserId) => AsyncIterable<{ readonly table: string; readonly row: object }>;

const RETRY_SECONDS = 60;

/** Everything about a user, as lines of JSON. A user has one export at a time. */
export function createPersonExport(db: Database, account: ReadAccount, attachments: Pick<Attachments, 'readAll'>) {
  const running = new Set<UserId>();

  return (owner: Pick<Principal, 'userId'>): AsyncGenerator<string> => {
    if (running.has(owner.userId))
      throw new RateLimited(RETRY_SECONDS, 'An export is already running. Wait until it is complete.');
    return linesOf({ db, account, attachments }, owner, running);
  };
}

type Sources = {
  readonly db: Database;
  readonly account: ReadAccount;
  readonly attachments: Pick<Attachments, 'readAll'>;
};

/** The row of an attachment with its bytes in base64; null when they are lost. */
async function withContent(attachments: Sources['attachments'], userId: UserId, { json }: PersonRow): Promise<string> {
  const { sha256, bytes, created_at } = JSON.parse(json) as {
    sha256: AttachmentHash;
    bytes: number;
    created_at: string;
  };
  const content = (await attachments.readAll({ userId }, [sha256])).get(sha256);
  if (content && isUnreachable(content)) throw content; // the file ends without its last line
  return JSON.stringify({
    user_id: userId,
    sha256,
    bytes,
    created_at,
    content: Buffer.isBuffer(content) ? content.toString('base64') : null,
  });
}

/** The last line has the number of rows, so that a cut file is noticed. */
async function* linesOf(
  { db, account, attachments }: Sources,
  { userId }: Pick<Principal, 'userId'>,
  running: Set<UserId>,
): AsyncGenerator<string> {
  running.add(userId); // here, because a generator that was never read does not reach its end
  try {
    let rows = 0;
    yield line({ reborn_export: 1, user_id: userId, exported_at: new Date() });
    for await (const { table, row } of account(userId)) {
      rows++;
      yield line({ table, row });
    }
    for await (const found of readPersonRows(db, { userId })) {
      rows++;
      const json = found.table === 'attachments' ? await withContent(attachments, userId, found) : found.json;
      yield `{"table":${JSON.stringify(found.table)},"row":${json}}\n`;
    }
    yield line({ end: true, rows });
  } finally {
    running.delete(userId);
  }
}

const line = (value: object) => `${JSON.stringify(value)}\n`;
