import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { newId, type ProjectId } from '#domain/ids.ts';
import { openMigratedDatabase } from '../../../test/support/migrated-database.ts';
import { withOwner } from '../connection.ts';
import { deleteProjectNote, findProjectNote, listProjectNotes, writeProjectNote } from './project-notes.ts';

const id = newId<ProjectId>();
const place = { id, ownerId: 'ann' };
let server: Awaited<ReturnType<typeof openMigratedDatabase>>;

beforeAll(async () => {
  server = await openMigratedDatabase();
});
beforeEach(async () => {
  await server.everything.query('truncate folders, project_members, project_notes cascade');
  await server.everything.query(`insert into folders (user_id, id, name) values ('ann', $1, 'Move')`, [id]);
  await server.everything.query(
    `insert into project_members (user_id, project_id, member, role, name)
    values ('ann', $1, 'reader', 'read', 'Move'), ('ann', $1, 'writer', 'write', 'Move')`,
    [id],
  );
  await write('ann', 'June');
});
afterAll(() => server?.close());

const as = <T>(userId: string, act: Parameters<typeof withOwner<T>>[2]) => withOwner(server.db, { userId }, act);
const write = (userId: string, text: string, author = userId) =>
  as(userId, (trx) => writeProjectNote(trx, { userId: author }, place, { path: 'plan', text }));
const remove = (userId: string) => as(userId, (trx) => deleteProjectNote(trx, place, 'plan'));
const read = (userId: string) => as(userId, (trx) => findProjectNote(trx, place, 'plan'));
const REFUSED = /row-level security/;

test('the owner and the members read a note, and no one else', async () => {
  for (const userId of ['ann', 'reader', 'writer']) expect(await read(userId)).toMatchObject({ text: 'June' });
  expect(await read('eve')).toBeUndefined();
  expect(await as('eve', (trx) => listProjectNotes(trx, place))).toEqual([]);
});

test('only the owner and members who may write change it, even if the service asks otherwise', async () => {
  for (const userId of ['reader', 'eve']) {
    await expect(write(userId, 'July')).rejects.toThrow(REFUSED);
    expect(await remove(userId)).toBe(false);
  }
  await write('writer', 'July');
  expect(await read('ann')).toMatchObject({ text: 'July', writtenBy: 'writer' });
  expect(await remove('writer')).toBe(true);
});

test("a member can't write in the name of another person", async () => {
  await expect(write('writer', 'July', 'ann')).rejects.toThrow(REFUSED);
  expect(await read('ann')).toMatchObject({ text: 'June' });
});

test("a member can't give themselves another role, nor add a member", async () => {
  await as('reader', (trx) => trx.updateTable('projectMembers').set({ role: 'write' }).execute());
  await expect(write('reader', 'July')).rejects.toThrow(REFUSED);
  const wanted = { userId: 'ann', projectId: id, member: 'eve', role: 'write', name: '' } as const;
  await expect(as('writer', (trx) => trx.insertInto('projectMembers').values(wanted).execute())).rejects.toThrow(
    REFUSED,
  );
});
