import { afterAll, beforeAll, expect, test } from 'vitest';
import { checkLooks } from './check-page.ts';
import { goWithin } from './go-within.ts';
import { openChromium } from './open-chromium.ts';
import { startStage } from './stage.ts';
import { ask, confirm } from './talk.ts';

let stage: Awaited<ReturnType<typeof startStage>>;
let browser: Awaited<ReturnType<typeof openChromium>>;

beforeAll(async () => {
  const parts = { titles: { pollEveryMs: 100 } };
  [stage, browser] = await Promise.all([startStage({ TITLE_MODEL: '' }, parts), openChromium()]);
});

afterAll(async () => {
  await browser.close();
  await stage.close();
});

test("threads get titles, programs' threads are listed separately, and many are archived and deleted at once", async () => {
  await stage.service.ask('say from a program');
  const page = await browser.signIn(stage.url);
  const list = page.getByRole('navigation', { name: 'Threads and pages' });
  for (const title of ['Alpha', 'Beta', 'Gamma', 'Delta']) {
    if (!page.url().endsWith('/')) await goWithin(page, '/');
    await ask(page, `Please\nsay ${title}`);
    await list.getByRole('link', { name: title, exact: true }).waitFor();
  }
  await page.getByRole('heading', { level: 1, name: 'Delta' }).waitFor();
  expect(await list.getByRole('link', { name: 'say from a program' }).count()).toBe(0);

  const show = async (name: string) => {
    await list.getByRole('button', { name: 'Choose and select threads' }).first().click();
    await page.getByRole('menuitem', { name, exact: true }).click();
  };
  await show('API');
  await list.getByRole('link', { name: 'say from a program' }).waitFor();
  expect(await list.getByRole('link', { name: 'Alpha' }).count()).toBe(0);
  await show('All threads');
  await list.getByRole('link', { name: 'Alpha' }).waitFor();
  await show('Chats');

  await show('Select threads');
  await list.getByRole('checkbox', { name: 'Alpha' }).check();
  await list.getByRole('checkbox', { name: 'Beta' }).check();
  await list.getByText('2 threads').waitFor();
  await list.getByRole('button', { name: 'Archive', exact: true }).click();
  await list.getByRole('link', { name: 'Gamma' }).waitFor();
  await list.getByRole('link', { name: 'Alpha' }).waitFor({ state: 'hidden' });

  await show('Select threads');
  await list.getByRole('checkbox', { name: 'All' }).check();
  await list.getByRole('button', { name: 'Delete', exact: true }).click();
  await page.getByText('2 threads are deleted.').waitFor();
  await list.getByText('No threads yet').waitFor();
  await page.waitForURL(`${stage.url}/`);

  await show('Show the archive');
  await list.getByRole('link', { name: 'Beta' }).waitFor();
  await show('Select threads');
  await list.getByRole('checkbox', { name: 'All' }).check();
  await list.getByRole('button', { name: 'Restore' }).click();
  await list.getByText('The archive is empty.').waitFor();
  expect(page.problems).toEqual([]);
  await page.close();
});

test('an answer that comes while another page is open is marked until it is on the screen', async () => {
  const page = await browser.signIn(stage.url);
  const list = page.getByRole('navigation', { name: 'Threads and pages' });
  const sent = await stage.service.request('/api/chat', {
    method: 'POST',
    body: JSON.stringify({ message: 'Please\nsay Violet' }),
  });
  expect(sent.ok).toBe(true);
  await list.getByRole('link', { name: 'Violet, not read', exact: true }).click();
  await list.getByRole('link', { name: 'Violet', exact: true }).waitFor();
  await ask(page, 'say on the screen');
  await page.getByRole('article').getByText('on the screen').waitFor();
  const { thread_id: id } = (await sent.json()) as { thread_id: string };
  const find = async () => {
    const response = await stage.service.request(`/api/threads/${id}`);
    const { status, unread } = (await response.json()) as { status: string; unread?: true };
    return { status, unread };
  };
  await expect.poll(find).toEqual({ status: 'idle', unread: undefined });
  await goWithin(page, '/');
  await list.getByRole('link', { name: 'Violet', exact: true }).waitFor();
  expect(page.problems).toEqual([]);
  await page.close();
});

test('threads are kept in projects: by their menu, several at once, and dragged', async () => {
  const page = await browser.signIn(stage.url);
  const list = page.getByRole('navigation', { name: 'Threads and pages' });
  for (const title of ['Red', 'Green', 'Blue']) {
    if (!page.url().endsWith('/')) await goWithin(page, '/');
    await ask(page, `Please\nsay ${title}`);
    await list.getByRole('link', { name: title, exact: true }).waitFor();
  }
  const act = async (button: RegExp, name: string) => {
    await list.getByRole('button', { name: button }).first().click();
    await page.getByRole('menuitem', { name, exact: true }).click();
  };
  await act(/^Choose and select/, 'New project');
  await list.getByLabel('Name of the project').fill('Colours');
  await page.keyboard.press('Enter');
  const projects = list.getByRole('region', { name: 'Projects' });
  const colours = projects.getByRole('link', { name: 'Colours', exact: true });
  await projects.getByRole('button', { name: 'Threads of Colours' }).click();
  await projects.getByText('Empty.').waitFor();

  await act(/^Actions on Red$/, 'Move to a project');
  await page.getByRole('dialog').getByRole('button', { name: 'Colours' }).click();
  await projects.getByRole('link', { name: 'Red' }).waitFor();
  expect(await list.getByRole('link', { name: 'Red' }).count()).toBe(1);

  await list.getByRole('link', { name: 'Green' }).dragTo(colours);
  await projects.getByRole('link', { name: 'Green' }).waitFor();
  await checkLooks(page, 'projects');
  await projects.getByRole('link', { name: 'Green' }).dragTo(list.getByRole('link', { name: 'Blue' }));
  await list.getByRole('region', { name: 'Today' }).getByRole('link', { name: 'Green' }).waitFor();

  await act(/^Choose and select/, 'Select threads');
  await list.getByRole('checkbox', { name: 'Green' }).check();
  await list.getByRole('checkbox', { name: 'Blue' }).check();
  await list.getByRole('button', { name: 'Move', exact: true }).click();
  const dialog = page.getByRole('dialog', { name: 'Move 2 threads to a project' });
  await dialog.getByLabel('New project').fill('Cold');
  await dialog.getByRole('button', { name: 'Create and move' }).click();
  await projects.getByRole('button', { name: 'Threads of Cold' }).click();
  await projects.getByRole('link', { name: 'Blue' }).waitFor();

  await act(/^Actions on the project Cold$/, 'Rename');
  await list.getByLabel('Name of the project').fill('Cool');
  await page.keyboard.press('Enter');
  await projects.getByRole('link', { name: 'Cool', exact: true }).waitFor();
  await page.reload();
  await projects.getByRole('link', { name: 'Blue' }).waitFor();

  await act(/^Actions on the project Cool$/, 'Delete');
  await confirm(page, 'Delete');
  await list.getByRole('region', { name: 'Today' }).getByRole('link', { name: 'Blue' }).waitFor();
  expect(page.problems).toEqual([]);
  await page.close();
});
