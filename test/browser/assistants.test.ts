import { afterAll, beforeAll, expect, test } from 'vitest';
import { addUser } from '../support/accounts.ts';
import { checkLooks } from './check-page.ts';
import { openChromium } from './open-chromium.ts';
import { startStage } from './stage.ts';
import { ask, confirm } from './talk.ts';

type Stage = Awaited<ReturnType<typeof startStage>>;

let stage: Stage;
let browser: Awaited<ReturnType<typeof openChromium>>;

beforeAll(async () => {
  [stage, browser] = await Promise.all([startStage(), openChromium()]);
});

afterAll(async () => {
  await browser.close();
  await stage.close();
});

test('an assistant is made with a form, tried beside it, and then answers by its name', async () => {
  const page = await browser.signIn(stage.url, { path: '/assistants' });
  await page.getByText('No assistants yet').waitFor();
  await page.getByRole('button', { name: 'Create an assistant' }).click();
  await page.getByLabel('Name', { exact: true }).fill('research');
  await page.getByLabel('What it is for').fill('Finds things out.');
  await page.getByLabel('Instructions').fill('Name your sources.');
  await page.getByText('Model, tools and budgets').click();
  await page.getByLabel('Tools', { exact: true }).fill('reborn_time');
  await page.getByRole('button', { name: 'Create', exact: true }).click();

  const pane = page.getByRole('region', { name: 'Try it' });
  await pane.getByLabel('Message to research').fill('recite');
  await pane.getByRole('button', { name: 'Try', exact: true }).click();
  await pane.getByText('Name your sources.').waitFor();
  await page.getByLabel('Instructions').fill('Be brief.');
  await pane.getByText('Your changes count once they are saved.').waitFor();
  await page.getByRole('button', { name: 'Save version 2' }).click();
  await page.getByRole('button', { name: 'Save version 3' }).waitFor();
  await pane.getByLabel('Message to research').fill('recite');
  await pane.getByRole('button', { name: 'Try', exact: true }).click();
  await pane.getByText('Be brief.').waitFor();
  await checkLooks(page);
  await page.getByRole('button', { name: 'Close' }).click();
  await page.getByRole('button', { name: /research/ }).waitFor();

  await page.goto(`${stage.url}/`);
  const box = page.getByRole('textbox', { name: 'Message' });
  await box.pressSequentially('@res');
  await page.getByRole('option', { name: /research/ }).click();
  await expect.poll(() => box.inputValue()).toBe('@research ');
  await ask(page, '@research recite');
  await page.getByRole('article').getByText('Be brief.').waitFor();
  await page.getByRole('button', { name: 'Assistant: research' }).waitFor();

  await page.getByRole('button', { name: 'Assistant: research' }).click();
  await page.getByRole('menuitem', { name: 'Usual agent' }).click();
  await ask(page, 'recite');
  await expect.poll(() => page.getByRole('article').count()).toBe(2);
  await expect.poll(() => page.getByRole('article').last().innerText()).toContain('You are Reborn');
  const used = await stage.home.query<{ name: string | null; version: string | null }>(
    `select request -> 'assistant' ->> 'name' as name, request -> 'assistant' ->> 'version' as version
     from turns join threads on threads.id = thread_id where not threads.temporary order by turns.created_at`,
  );
  expect(used).toEqual([
    { name: 'research', version: '2' },
    { name: null, version: null },
  ]);

  const log = page.getByRole('log');
  await log.getByRole('heading', { name: 'research' }).waitFor();
  expect((await log.getByRole('heading', { name: 'research' }).boundingBox())?.height).toBeGreaterThan(10);
  await log.getByRole('heading', { name: 'Reborn' }).waitFor();
  await page.reload();
  await log.getByRole('heading', { name: 'research' }).waitFor();
  await page.close();
});

test('an earlier version of an assistant is looked at and restored', async () => {
  await send(stage.service, 'POST', '/api/assistants', { name: 'letters', instructions: 'Be kind.' });
  const { assistants } = await send<{ assistants: { id: string; name: string }[] }>(
    stage.service,
    'GET',
    '/api/assistants',
  );
  const { id } = assistants.find(({ name }) => name === 'letters') ?? { id: '' };
  await send(stage.service, 'PATCH', `/api/assistants/${id}`, { instructions: 'Be brief.', memory: 'none' });

  const page = await browser.signIn(stage.url, { path: '/assistants' });
  await page.getByRole('button', { name: /letters/ }).click();
  const history = page.getByRole('region', { name: 'History' });
  const [newest, first] = ['Version 2', 'Version 1'].map((name) =>
    history.getByRole('listitem').filter({ hasText: name }),
  );
  await newest?.getByText('What changed').click();
  await newest?.getByText('Memory: No notes').waitFor();
  expect(await newest?.getByRole('button', { name: 'Restore this version' }).count()).toBe(0);
  await first?.getByRole('button', { name: 'Restore this version' }).click();
  await page.getByRole('button', { name: 'Save version 4' }).waitFor();
  expect(await page.getByLabel('Instructions').inputValue()).toBe('Be kind.');
  expect(await page.getByLabel('Memory').inputValue()).toBe('shared');
  expect(await send(stage.service, 'GET', `/api/assistants/${id}`)).toMatchObject({
    version: 3,
    instructions: 'Be kind.',
    memory: 'shared',
  });
  await page.close();
});

test('a project has a page: what is in it reaches the model, and its members see their part', async () => {
  const ann = await addUser(stage.service, 'Ann');
  await send(stage.service, 'POST', '/api/assistants', { name: 'mover', instructions: 'Count the boxes.' });
  const { id } = await send<{ id: string }>(stage.service, 'POST', '/api/projects', { name: 'Move to Oslo' });

  const page = await browser.signIn(stage.url);
  const list = page.getByRole('navigation', { name: 'Threads and pages' });
  await list.getByRole('link', { name: 'Move to Oslo' }).click();
  await page.getByRole('heading', { level: 1, name: 'Move to Oslo' }).waitFor();
  await page.getByText('No threads in this project yet').waitFor();
  await checkLooks(page, 'project');
  const tabs = page.getByRole('navigation', { name: 'Project', exact: true });
  const open = (name: string) => tabs.getByRole('link', { name, exact: true }).click();
  const save = page.getByRole('button', { name: 'Save', exact: true });

  await open('Instructions');
  await page.getByLabel('Instructions').fill('Prices are in kroner.');
  await save.click();
  await page.getByText('Written by you').waitFor();

  await open('Files');
  await page.getByText('No files in this project yet').waitFor();
  const choosing = page.waitForEvent('filechooser');
  await page.getByRole('button', { name: 'Add files' }).click();
  await (await choosing).setFiles({ name: 'costs.csv', mimeType: 'text/csv', buffer: Buffer.from('van,120\n') });
  await page.getByRole('switch', { name: 'I wrote this' }).check();
  await page.getByRole('button', { name: 'Upload' }).click();
  await page.getByRole('list', { name: 'Files' }).getByText('costs.csv').waitFor();

  await open('Notes');
  await page.getByText('No notes in this project yet').waitFor();
  await page.getByRole('button', { name: 'Write a note' }).click();
  const note = page.getByRole('dialog', { name: 'Write a note' });
  await note.getByLabel('Path').fill('people/carrier');
  await note.getByLabel('Text').fill('Ring Carla first.');
  await note.getByRole('button', { name: 'Save note' }).click();
  await page.getByRole('list', { name: 'Notes' }).getByText('people/carrier').waitFor();

  await open('Members');
  await page.getByText('Not shared with anyone').waitFor();
  await page.getByLabel('Share with').fill('Ann');
  await page.getByRole('button', { name: 'Share', exact: true }).click();
  await page.getByLabel('What Ann may do').selectOption('write');
  await expect
    .poll(() => send(stage.service, 'GET', `/api/projects/${id}/members`))
    .toMatchObject({ members: [{ name: 'Ann', role: 'write' }] });
  await checkLooks(page, 'project-members');

  await open('Settings');
  await page.getByLabel('Assistant', { exact: true }).selectOption('mover');
  await save.click();
  await page.getByRole('button', { name: 'Assistant: mover' }).waitFor();
  await checkLooks(page, 'project-settings');

  await open('Assistants');
  const answering = page.getByRole('list', { name: 'Assistants' }).getByRole('listitem');
  await answering.filter({ hasText: 'mover' }).getByText('Default').waitFor();
  await answering.filter({ hasText: 'Usual agent' }).getByRole('button', { name: 'Make it the default' }).click();
  await answering.filter({ hasText: 'Usual agent' }).getByText('Default').waitFor();
  await checkLooks(page, 'project-assistants');
  await answering.filter({ hasText: 'mover' }).getByRole('button', { name: 'Make it the default' }).click();
  await page.getByRole('button', { name: 'Assistant: mover' }).waitFor();

  await page.keyboard.press('Control+k');
  await page.keyboard.type('move');
  const palette = page.getByRole('dialog', { name: 'Search' });
  await palette.getByRole('group', { name: 'Assistants' }).getByRole('option', { name: 'mover' }).click();
  await page.getByRole('dialog', { name: 'mover' }).waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await page.keyboard.press('Control+k');
  await page.keyboard.type('oslo');
  await palette.getByRole('group', { name: 'Projects' }).getByRole('option', { name: 'Move to Oslo' }).click();
  await page.getByText('No threads in this project yet').waitFor();

  await ask(page, 'use reborn_file_read {"path":"project/costs.csv"}');
  await page.getByRole('article').getByText('van,120').waitFor();
  await page.getByRole('log').getByRole('heading', { name: 'mover' }).waitFor();
  const prompt = stage.model.seen
    .at(-1)
    ?.messages.map(({ text }) => text)
    .join('\n');
  expect(prompt).toContain('Prices are in kroner.');
  expect(prompt).toContain('Count the boxes.');
  await page.getByRole('button', { name: 'Inspect this turn' }).click();
  const added = page.getByRole('dialog').getByRole('region', { name: 'From the project Move to Oslo' });
  await added.getByText('Prices are in kroner.').waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('main').getByRole('link', { name: 'Move to Oslo' }).click();
  await page
    .getByRole('main')
    .getByRole('link', { name: /^use reborn_file_read/ })
    .waitFor();
  expect(page.problems).toEqual([]);
  await page.close();

  const hers = await browser.signIn(stage.url, { token: ann.token, path: `/projects/${id}/instructions` });
  await hers.getByText('You can change what is in it').waitFor();
  await hers.getByText('It counts as text by others').waitFor();
  await hers.getByRole('button', { name: 'Keep as mine' }).click();
  await hers.getByText('Written by you').waitFor();
  await send(stage.service, 'POST', `/api/projects/${id}/members`, { person: 'Ann', role: 'read' });
  await hers.reload();
  await hers.getByText('Ask the owner to let you write').waitFor();
  expect(await hers.getByLabel('Instructions').isEditable()).toBe(false);
  await hers.getByRole('link', { name: 'Files', exact: true }).click();
  await hers.getByRole('button', { name: 'Download costs.csv' }).waitFor();
  expect(await hers.getByRole('button', { name: /^(Remove costs|Add files)/ }).count()).toBe(0);
  await hers.getByRole('link', { name: 'Members', exact: true }).click();
  await hers.getByText('Only the owner sees the other members').waitFor();
  await hers.getByRole('link', { name: 'Threads', exact: true }).click();
  await hers.getByText('No threads in this project yet').waitFor();
  await hers.getByRole('main').getByRole('button', { name: 'Actions on the project Move to Oslo' }).click();
  await hers.getByRole('menuitem', { name: 'Leave' }).click();
  await confirm(hers, 'Leave');
  await hers.waitForURL(`${stage.url}/`);
  expect(await send(stage.service, 'GET', `/api/projects/${id}/members`)).toEqual({ members: [] });
  expect(hers.problems).toEqual([]);
  await hers.close();
});

test('the page of a project with the longest name fits the window', async () => {
  const name = 'Oslo'.repeat(25);
  const { id } = await send<{ id: string }>(stage.service, 'POST', '/api/projects', { name });
  const page = await browser.signIn(stage.url, { path: `/projects/${id}` });
  await page.getByRole('heading', { level: 1, name }).waitFor();
  await checkLooks(page, 'project-long-name');
  await page.close();
});

async function send<T>(service: Stage['service'], method: string, route: string, body?: object): Promise<T> {
  const answer = await service.request(route, { method, ...(body && { body: JSON.stringify(body) }) });
  return (await answer.json()) as T;
}
