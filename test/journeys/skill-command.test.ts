import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { freshHome } from '../support/fresh-home.ts';
import { runReborn } from '../support/run-reborn.ts';
import { startScriptedModel } from '../support/scripted-model.ts';
import { startService, textOf, WEBHOOK_SECRET } from '../support/service.ts';

let model: Awaited<ReturnType<typeof startScriptedModel>>;
let home: Awaited<ReturnType<typeof freshHome>>;
let service: Awaited<ReturnType<typeof startService>>;

beforeAll(async () => {
  [model, home] = await Promise.all([startScriptedModel(), freshHome()]);
  await writeSkill('skills/on-disk', 'on-disk', 'When somebody asks about the disk', 'Look at the disk.');
  const llm = { LLM_PROVIDER: 'openai-compatible', LLM_MODEL: 'scripted', LLM_BASE_URL: model.url };
  service = await startService({ ...home.env, ...llm, HTTP_WEBHOOK_SECRET: WEBHOOK_SECRET });
});

afterAll(async () => {
  await service?.close();
  await model.close();
  await home.remove();
});

async function writeSkill(folder: string, name: string, description: string, body: string): Promise<string> {
  const target = path.join(home.home, folder);
  await mkdir(target, { recursive: true });
  await writeFile(path.join(target, 'SKILL.md'), `---\nname: ${name}\ndescription: ${description}\n---\n${body}\n`);
  return target;
}

const reborn = (...words: string[]) => runReborn(['skill', ...words], { env: home.env });
/** What the model is told before anything is said, by the operator's own turn and by a webhook user's. */
const systemOf = (told: string) => (JSON.parse(told) as { text: string }[])[0]?.text ?? '';
const told = async () => systemOf(textOf(await service.ask('recite')));
const toldToBob = async () => {
  const { webhook } = service;
  return systemOf(
    (await webhook.completed(await webhook.submit({ user_id: 'bob', message: 'recite' }))).response ?? '',
  );
};
const read = async (given: object) => textOf(await service.ask(`use skill_read ${JSON.stringify(given)}`));

test('a skill is offered by what it is for, and its text is read only when it is asked for', async () => {
  const folder = await writeSkill('made/tea', 'make-tea', 'When somebody wants tea', 'Warm the pot first.');
  await writeFile(path.join(folder, 'leaves.md'), 'Darjeeling, second flush.');
  const added = await reborn('add', folder);
  expect(added).toMatchObject({ code: 0, stdout: expect.stringContaining('make-tea: When somebody wants tea') });

  const system = await told();
  expect(system).toContain('- make-tea: When somebody wants tea');
  expect(system).toContain('- on-disk: When somebody asks about the disk');
  expect(JSON.stringify(model.seen)).not.toContain('Warm the pot first.');

  expect(await read({ name: 'make-tea' })).toMatch(/Warm the pot first\.[^]*leaves\.md/);
  expect(await read({ name: 'make-tea', file: 'leaves.md' })).toContain('Darjeeling');
  expect(await read({ name: 'on-disk' })).toContain('Look at the disk.');
  expect(await read({ name: 'make-tea', file: '../../settings.env' })).toContain('There is no such file.');
  expect(textOf(await service.ask('use skill_list {}'))).toContain('When somebody wants tea');
});

test("a user's skill is offered to nobody else, takes the place of everyone's, and goes when it is removed", async () => {
  const everyones = await writeSkill('made/greet', 'greet', 'How everyone is greeted', 'Say hello.');
  const bobs = await writeSkill('made/greet-bob', 'greet', 'How Bob is greeted', 'Say ahoy.');
  await reborn('add', everyones);
  await reborn('add', bobs, '--user', 'webhook:bob');

  expect(await told()).toContain('- greet: How everyone is greeted');
  expect(await toldToBob()).toContain('- greet: How Bob is greeted');
  expect(JSON.parse((await reborn('list', '--user', 'webhook:bob', '--json')).stdout)).toEqual([
    { name: 'greet', description: 'How Bob is greeted' },
  ]);

  expect((await reborn('remove', 'greet', '--user', 'webhook:bob')).code).toBe(0);
  expect(await toldToBob()).toContain('- greet: How everyone is greeted');
  expect((await reborn('list')).stdout).toMatch(/greet +How everyone is greeted/);
});

test('a mistake is told with what to do, and changes nothing', async () => {
  const wrong = await writeSkill('made/wrong', 'Not A Name', 'Something', 'Nothing.');
  expect(await reborn('add', wrong)).toMatchObject({ code: 1, stderr: expect.stringContaining('lower-case letters') });
  expect(await reborn('add', path.join(home.home, 'nowhere'))).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/nowhere can't be read\. Name a folder with a SKILL\.md/),
  });
  expect(await reborn('remove', 'nobody-knows')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('reborn skill list'),
  });
  expect(await told()).not.toContain('Something');
});
