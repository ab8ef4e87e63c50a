import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect } from 'vitest';
import type { Home } from '../../support/fresh-home.ts';
import { journey } from '../../support/journey.ts';
import { runReborn } from '../../support/run-reborn.ts';
import { type Service, textOf, WEBHOOK_SECRET } from '../../support/service.ts';

const test = journey()
  .override('settings', { HTTP_WEBHOOK_SECRET: WEBHOOK_SECRET })
  .override('service', async ({ home, startAnother }) => {
    await writeSkill(home, 'skills/on-disk', 'on-disk', 'When a question is about the disk', 'Look at the disk.');
    return startAnother();
  });

async function writeSkill(
  home: Home,
  folder: string,
  name: string,
  description: string,
  body: string,
): Promise<string> {
  const target = path.join(home.home, folder);
  await mkdir(target, { recursive: true });
  await writeFile(path.join(target, 'SKILL.md'), `---\nname: ${name}\ndescription: ${description}\n---\n${body}\n`);
  return target;
}

const reborn = (service: Pick<Service, 'remote'>, ...words: string[]) =>
  runReborn(['skill', ...words], { env: service.remote });
/** The system prompt of a turn. */
const systemOf = (told: string) => (JSON.parse(told) as { text: string }[])[0]?.text ?? '';
const told = async (service: Service) => systemOf(textOf(await service.ask('recite')));
const toldToBob = async (service: Service) => {
  const { webhook } = service;
  return systemOf(
    (await webhook.completed(await webhook.submit({ user_id: 'bob', message: 'recite' }))).response ?? '',
  );
};
const read = async (service: Service, given: object) =>
  textOf(await service.ask(`use skill_read ${JSON.stringify(given)}`));

test('a skill is offered by its description, and its text is read only on request', async ({
  service,
  model,
  home,
}) => {
  const folder = await writeSkill(home, 'made/tea', 'make-tea', 'When a user wants tea', 'Warm the pot first.');
  await writeFile(path.join(folder, 'leaves.md'), 'Darjeeling, second flush.');
  const added = await reborn(service, 'add', folder);
  expect(added).toMatchObject({ code: 0, stdout: expect.stringContaining('make-tea: When a user wants tea') });

  const system = await told(service);
  expect(system).toContain('- make-tea: When a user wants tea');
  expect(system).toContain('- on-disk: When a question is about the disk');
  expect(JSON.stringify(model.seen)).not.toContain('Warm the pot first.');

  expect(await read(service, { name: 'make-tea' })).toMatch(/Warm the pot first\.[^]*leaves\.md/);
  expect(await read(service, { name: 'make-tea', file: 'leaves.md' })).toContain('Darjeeling');
  expect(await read(service, { name: 'on-disk' })).toContain('Look at the disk.');
  expect(await read(service, { name: 'make-tea', file: '../../settings.env' })).toContain('This file does not exist.');
  expect(textOf(await service.ask('use skill_list {}'))).toContain('When a user wants tea');
});

test("a user's skill is offered to that user only, replaces everyone's, and disappears when removed", async ({
  service,
  home,
}) => {
  const everyones = await writeSkill(home, 'made/greet', 'greet', 'How everyone is greeted', 'Say hello.');
  const bobs = await writeSkill(home, 'made/greet-bob', 'greet', 'How Bob is greeted', 'Say ahoy.');
  await reborn(service, 'add', everyones);
  await reborn(service, 'add', bobs, '--user', 'webhook:bob');

  expect(await told(service)).toContain('- greet: How everyone is greeted');
  expect(await toldToBob(service)).toContain('- greet: How Bob is greeted');
  expect(JSON.parse((await reborn(service, 'list', '--user', 'webhook:bob', '--json')).stdout)).toContainEqual({
    name: 'greet',
    description: 'How Bob is greeted',
    source: 'me',
    hidden: false,
  });

  expect((await reborn(service, 'remove', 'greet', '--user', 'webhook:bob')).code).toBe(0);
  expect(await toldToBob(service)).toContain('- greet: How everyone is greeted');
  expect((await reborn(service, 'list')).stdout).toMatch(/greet +everyone +How everyone is greeted/);
});

test('a mistake is reported with what to do, and changes nothing', async ({ service, home }) => {
  const wrong = await writeSkill(home, 'made/wrong', 'Not A Name', 'Something', 'Nothing.');
  expect(await reborn(service, 'add', wrong)).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('lower-case letters'),
  });
  expect(await reborn(service, 'add', path.join(home.home, 'nowhere'))).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/nowhere can't be read\. Name a folder with a SKILL\.md/),
  });
  expect(await reborn(service, 'remove', 'nobody-knows')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('reborn skill list'),
  });
  expect(await told(service)).not.toContain('Something');
});
