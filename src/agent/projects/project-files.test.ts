import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { InvalidRequest } from '#domain/errors.ts';
import { newId, type ProjectId } from '#domain/ids.ts';
import type { Principal } from '#domain/principal.ts';
import { openMigratedDatabase } from '../../../test/support/migrated-database.ts';
import { createStoredFiles } from '../workspace/stored-files.ts';
import { createProjectFiles } from './project-files.ts';

const id = newId<ProjectId>();
const ann: Principal = { userId: 'ann', role: 'member' };
const ben: Principal = { userId: 'ben', role: 'member' };
let server: Awaited<ReturnType<typeof openMigratedDatabase>>;

beforeAll(async () => {
  server = await openMigratedDatabase();
});
beforeEach(async () => {
  await server.everything.query('truncate folders, project_members, workspaces cascade');
  await server.everything.query(`insert into folders (user_id, id, name) values ('ann', $1, 'Move')`, [id]);
  await server.everything.query(
    `insert into project_members (user_id, project_id, member, role, name) values ('ann', $1, 'ben', 'write', 'Move')`,
    [id],
  );
});
afterAll(() => server?.close());

/** The files of projects, where `meanwhile` happens while the bytes of a file are stored. */
function filesWhile(meanwhile: () => Promise<unknown> = async () => {}) {
  const store = async () => void (await meanwhile());
  const attachments = { store, readPatiently: async () => new Map(), readAll: async () => new Map() };
  return createProjectFiles(
    server.db,
    createStoredFiles(server.db, attachments, { workspaceBytes: 1000, userBytes: 1000 }),
  );
}

test.each([
  ['was removed', 'delete from project_members'],
  ['may only read', `update project_members set role = 'read'`],
])('a member who %s while their file is stored changes nothing', async (_, statement) => {
  await filesWhile().put(ben, id, 'a.txt', Buffer.from('June'), false);
  const away = filesWhile(() => server.everything.query(statement));
  await expect(away.put(ben, id, 'b.txt', Buffer.from('July'), false)).rejects.toThrow(InvalidRequest);
  expect([...(await filesWhile().list(ann, id)).files.keys()]).toEqual(['a.txt']);
});
