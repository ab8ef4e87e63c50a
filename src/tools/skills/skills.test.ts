import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { withOwner } from '#store/connection.ts';
import { deleteSkill, EVERYONE, findSkill, listSkills, putSkill } from '#store/tools/skills.ts';
import { openMigratedDatabase } from '../../../test/support/migrated-database.ts';
import { unrecorded } from '../../../test/support/unrecorded.ts';
import { skillListTool } from '../builtin/skill-list.ts';
import { skillReadTool } from '../builtin/skill-read.ts';
import { parseSkill } from './parse-skill.ts';
import { readSkillFolder } from './read-skill-folder.ts';
import { createSkills } from './skills.ts';

const ann = { userId: 'ann' };
const bob = { userId: 'bob' };
const main = (name: string, description = 'What it is for') =>
  `---\nname: ${name}\ndescription: ${description}\n---\nDo it.\n`;
const skillOf = (name: string, description?: string) => parseSkill({ 'SKILL.md': main(name, description) });

let database: Awaited<ReturnType<typeof openMigratedDatabase>>;
let folder: string;
const problems: string[] = [];

beforeAll(async () => {
  database = await openMigratedDatabase();
});
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'reborn-skills-'));
  problems.length = 0;
  await database.everything.query('delete from skills');
  return () => rm(folder, { recursive: true });
});
afterAll(() => database.close());

const put = (owner: { userId: string }, ...skills: ReturnType<typeof skillOf>[]) =>
  withOwner(database.db, owner, async (trx) => {
    for (const skill of skills) await unrecorded(trx, (writing) => putSkill(writing, owner, skill));
  });
async function writeSkill(name: string, files: Record<string, string>): Promise<string> {
  for (const [file, text] of Object.entries(files)) {
    const target = path.join(folder, name, file);
    await mkdir(path.dirname(target), { recursive: true });
    await writeFile(target, text);
  }
  return path.join(folder, name);
}
const open = () => createSkills(database.db, folder, (problem) => problems.push(problem));
const read = async (args: object) => {
  const context = { owner: ann, secretsOf: ann, idempotencyKey: 'k', signal: new AbortController().signal };
  return JSON.parse(await skillReadTool(open()).call(JSON.stringify(args), context)) as Record<string, unknown>;
};

test('a user has own skills, those for everyone and those on the disk; the nearest of a name counts', async () => {
  await writeSkill('a', { 'SKILL.md': main('a', 'disk') });
  await writeSkill('b', { 'SKILL.md': main('b', 'disk') });
  await put(EVERYONE, skillOf('b', 'everyone'), skillOf('c', 'everyone'));
  await put(ann, skillOf('c', 'ann'));

  const skills = open();
  expect(await skills.list(ann)).toEqual([
    { name: 'a', description: 'disk' },
    { name: 'b', description: 'everyone' },
    { name: 'c', description: 'ann' },
  ]);
  expect((await skills.find(ann, 'c'))?.description).toBe('ann');
  expect((await skills.find(bob, 'c'))?.description).toBe('everyone');
  expect((await skills.find(bob, 'a'))?.description).toBe('disk');
});

test("users can't see, change or remove the skills of others", async () => {
  await put(ann, skillOf('hers'));
  const tried = await withOwner(database.db, bob, async (trx) => [
    await listSkills(trx, ann),
    await findSkill(trx, ann, 'hers'),
    await unrecorded(trx, (writing) => deleteSkill(writing, ann, 'hers')),
  ]);
  expect(tried).toEqual([[], undefined, false]);
  expect(await open().find(bob, 'hers')).toBeUndefined();
});

test('an unreadable skill is reported, and the others are available', async () => {
  await writeSkill('good', { 'SKILL.md': main('good') });
  await writeSkill('bad', { 'SKILL.md': 'no head' });
  expect(await open().list(ann)).toHaveLength(1);
  expect(problems).toEqual([expect.stringMatching(/bad is left out\. SKILL\.md must begin/)]);
});

test('skill_read returns a text and lists the other files', async () => {
  await writeSkill('notes', { 'SKILL.md': main('notes'), 'docs/more.md': 'More.', 'image.bin': '\0\0' });
  expect(await read({ name: 'notes' })).toEqual({
    name: 'notes',
    file: 'SKILL.md',
    text: main('notes'),
    cut: false,
    others: ['docs/more.md'],
  });
  expect(await read({ name: 'notes', file: 'docs/more.md' })).toMatchObject({ text: 'More.' });
});

test.each(['../secret.txt', '/etc/passwd', 'docs/../../secret.txt', 'link.md', 'away/secret.txt', '__proto__', '.env'])(
  'no path leads out of a skill: %s',
  async (file) => {
    await writeFile(path.join(folder, 'secret.txt'), 'SECRET');
    const inside = await writeSkill('notes', { 'SKILL.md': main('notes'), '.env': 'SECRET' });
    await symlink('../secret.txt', path.join(inside, 'link.md'));
    await symlink('..', path.join(inside, 'away'));
    expect(await read({ name: 'notes', file })).toEqual({ error: 'This file does not exist.', files: ['SKILL.md'] });
    expect(await read({ name: `../${path.basename(folder)}` })).toMatchObject({
      error: expect.stringContaining('This skill does not exist'),
    });
  },
);

test('skill_list tells names and descriptions', async () => {
  await put(ann, skillOf('mine', 'For me'));
  const context = { owner: ann, secretsOf: ann, idempotencyKey: 'k', signal: new AbortController().signal };
  expect(await skillListTool(open()).call('', context)).toBe('{"skills":[{"name":"mine","description":"For me"}]}');
});

test.each([
  ['description: "a: \\"b\\""', 'a: "b"'],
  ["description: 'it''s'", "it's"],
  ['description: >-\n  two\n  lines', 'two lines'],
  ['description: plain # comment', 'plain'],
  ['license: MIT\nmetadata:\n  x: 1\ndescription: last', 'last'],
])('the head of SKILL.md is read: %s', (field, description) => {
  expect(parseSkill({ 'SKILL.md': `---\r\nname: a\n${field}\n---\n` })).toMatchObject({ name: 'a', description });
});

test.each(['Upper', 'a b', '../x', '', '-a', 'a'.repeat(65)])('%j names no skill', (name) => {
  expect(() => parseSkill({ 'SKILL.md': main(name) })).toThrow('lower-case letters');
});

test('too many and too large files are refused', async () => {
  const many = Object.fromEntries(Array.from({ length: 100 }, (_, n) => [`${n}.md`, 'x']));
  await expect(readSkillFolder(await writeSkill('many', { 'SKILL.md': main('many'), ...many }))).rejects.toThrow(
    '100 files',
  );
  const large = { 'SKILL.md': main('large'), 'x.md': 'x'.repeat(300_000) };
  await expect(readSkillFolder(await writeSkill('large', large))).rejects.toThrow('256 KiB');
});
