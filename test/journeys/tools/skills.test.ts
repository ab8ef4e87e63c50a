import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect } from 'vitest';
import { getSkill, listSkills } from '#channels/gateway/skills/skill-routes.ts';
import { addUser, type TestUser } from '../../support/accounts.ts';
import { journey } from '../../support/journey.ts';
import { type Service, textOf } from '../../support/service.ts';

const skillList = listSkills.responses[200].json;
const wireSkill = getSkill.responses[200].json;
const skillText = (name: string, description: string) =>
  `---\nname: ${name}\ndescription: ${description}\n---\nDo it.\n`;

const test = journey()
  .override('service', async ({ home, startAnother }) => {
    await mkdir(path.join(home.home, 'skills/on-disk'), { recursive: true });
    await writeFile(path.join(home.home, 'skills/on-disk/SKILL.md'), skillText('on-disk', 'Put there by hand'));
    return startAnother();
  })
  .extend('ann', { scope: 'file' }, ({ service }) => addUser(service, 'Ann'))
  .extend('bob', { scope: 'file' }, ({ service }) => addUser(service, 'Bob'));

const send = (service: Service, method: string, route: string, body?: object, who?: TestUser) =>
  service.request(route, { method, headers: { ...who?.headers }, ...(body && { body: JSON.stringify(body) }) });
const add = (service: Service, body: object, who?: TestUser) => send(service, 'POST', '/api/skills', body, who);
const listed = async (service: Service, who?: TestUser) =>
  skillList.parse(await (await send(service, 'GET', '/api/skills', undefined, who)).json()).skills;
const read = async (service: Service, route: string, who?: TestUser) =>
  wireSkill.parse(await (await send(service, 'GET', `/api/skills/${route}`, undefined, who)).json());

test('a skill is added as text or files, visible to its owner only, replaced on request, and removed', async ({
  service,
  ann,
  bob,
}) => {
  const files = [
    { path: 'docs/more.md', text: 'More.' },
    { path: 'SKILL.md', text: skillText('letters', 'How Ann writes') },
  ];
  const added = wireSkill.parse(await (await add(service, { files }, ann)).json());
  expect(added).toMatchObject({
    name: 'letters',
    source: 'me',
    files: [{ path: 'SKILL.md' }, { path: 'docs/more.md' }],
  });
  expect(await read(service, 'letters', ann)).toEqual(added);
  expect((await send(service, 'GET', '/api/skills/letters', undefined, bob)).status).toBe(404);
  expect((await listed(service, bob)).map(({ name }) => name)).not.toContain('letters');
  const told = await service.request('/api/v1/responses', {
    method: 'POST',
    headers: ann.headers,
    body: JSON.stringify({ model: 'm', input: 'use skill_read {"name": "letters", "file": "docs/more.md"}' }),
  });
  expect(textOf((await told.json()) as Parameters<typeof textOf>[0])).toContain('More.');

  const again = { text: skillText('letters', 'Anew') };
  expect((await add(service, again, ann)).status).toBe(409);
  expect((await add(service, { ...again, replace: true }, ann)).status).toBe(201);
  expect(await read(service, 'letters', ann)).toMatchObject({ description: 'Anew', files: [{ path: 'SKILL.md' }] });
  expect((await send(service, 'DELETE', '/api/skills/letters', undefined, bob)).status).toBe(404);
  expect((await send(service, 'DELETE', '/api/skills/letters', undefined, ann)).status).toBe(204);
  expect((await send(service, 'DELETE', '/api/skills/letters', undefined, ann)).status).toBe(404);
});

test("only the operator changes a skill for everyone, and a user's skill of the same name hides it", async ({
  service,
  ann,
  bob,
}) => {
  expect((await add(service, { text: skillText('tone', 'Ours'), for: 'everyone' }, ann)).status).toBe(403);
  expect((await add(service, { text: skillText('tone', 'Ours'), for: 'everyone' })).status).toBe(201);
  expect((await add(service, { text: skillText('tone', 'Hers') }, ann)).status).toBe(201);
  expect(await listed(service, ann)).toEqual([
    { name: 'on-disk', description: 'Put there by hand', source: 'folder', hidden: false },
    { name: 'tone', description: 'Hers', source: 'me', hidden: false },
    { name: 'tone', description: 'Ours', source: 'everyone', hidden: true },
  ]);
  expect((await listed(service, bob)).find(({ name }) => name === 'tone')).toMatchObject({
    description: 'Ours',
    hidden: false,
  });
  expect(await read(service, 'tone', ann)).toMatchObject({ source: 'me' });
  expect(await read(service, 'tone?source=everyone', ann)).toMatchObject({ description: 'Ours' });
  expect(await read(service, 'on-disk', bob)).toMatchObject({ source: 'folder' });

  expect((await send(service, 'DELETE', '/api/skills/tone?for=everyone', undefined, ann)).status).toBe(403);
  expect((await send(service, 'DELETE', '/api/skills/on-disk?for=everyone')).status).toBe(404);
  expect((await send(service, 'DELETE', '/api/skills/tone?for=everyone')).status).toBe(204);
  expect((await listed(service, bob)).map(({ name }) => name)).toEqual(['on-disk']);
  const audit = await (await send(service, 'GET', '/api/audit')).text();
  expect(audit).toMatch(/skill\.add.*tone|tone.*skill\.add/);
  expect(audit).toContain('skill.remove');
});

const main = { path: 'SKILL.md', text: skillText('x', 'y') };

test.for<[string, object, RegExp]>([
  ['nothing', {}, /text or files is required/],
  ['both', { text: 'x', files: [] }, /not both/],
  ['no SKILL.md', { files: [{ path: 'a.md', text: 'x' }] }, /no SKILL\.md/],
  ['no head', { text: 'Just do it.' }, /must begin with a line of ---/],
  ['a bad name', { text: skillText('../x', 'y') }, /lower-case letters/],
  ['a path twice', { files: [main, main] }, /twice/],
  ['a path that leads out', { files: [main, { path: '../../etc/passwd', text: '' }] }, /not the path of a file/],
  ['a hidden file', { files: [main, { path: 'a/.env', text: '' }] }, /not the path of a file/],
  ['an absolute path', { files: [main, { path: '/etc/passwd', text: '' }] }, /not the path of a file/],
  [
    'a null character',
    { files: [main, { path: 'a', text: '\0' }] },
    /files\.1\.text must not contain the character U\+0000/,
  ],
  ['half a character', { text: `${main.text}\ud800` }, /is not text/],
  ['a large file', { files: [main, { path: 'a', text: 'x'.repeat(300_000) }] }, /larger than 256 KiB/],
  ['too many', { files: Array.from({ length: 101 }, (_, n) => ({ path: `${n}`, text: '' })) }, /100 files/],
])('%s is refused with an explanation', async ([_name, body, words], { service, ann }) => {
  const answer = await add(service, body, ann);
  const { error } = (await answer.json()) as { error: { message: string } };
  expect({ status: answer.status, message: error.message }).toEqual({
    status: 400,
    message: expect.stringMatching(words),
  });
});

test('only an operator adds, lists and removes the skills of another user', async ({ service, ann, bob }) => {
  const forBob = { text: skillText('theirs', 'For Bob'), for: bob.id };
  const list = (who?: TestUser) => send(service, 'GET', `/api/skills?for=${bob.id}`, undefined, who);
  const remove = (who?: TestUser) => send(service, 'DELETE', `/api/skills/theirs?for=${bob.id}`, undefined, who);
  for (const refused of [await add(service, forBob, ann), await list(ann), await remove(ann)])
    expect(refused.status).toBe(403);

  expect((await add(service, forBob)).status).toBe(201);
  expect((await read(service, 'theirs', bob)).description).toBe('For Bob');
  expect(skillList.parse(await (await list()).json()).skills.map(({ name }) => name)).toContain('theirs');
  expect((await remove()).status).toBe(204);
});

test('a file may have any valid name and is returned unchanged', async ({ service, ann }) => {
  const odd = ['__proto__', 'constructor', 'Ünïcode name.md', 'a/b/c.txt'].map((name) => ({ path: name, text: name }));
  expect((await add(service, { files: [main, ...odd], replace: true }, ann)).status).toBe(201);
  const { files } = await read(service, 'x', ann);
  expect(files).toEqual([main, ...odd.toSorted((one, other) => (one.path < other.path ? -1 : 1))]);
});

test('a user with 200 skills must remove one before adding another', async ({ service, home, bob }) => {
  await home.query(
    `insert into skills (user_id, name, description, files)
     select $1, 'many-' || n, 'x', '{"SKILL.md":""}' from generate_series(1, 200) as n`,
    [bob.id],
  );
  expect((await add(service, { text: main.text }, bob)).status).toBe(400);
  expect((await add(service, { text: skillText('many-7', 'still'), replace: true }, bob)).status).toBe(201);
});
