import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Tool } from '#tools/tool.ts';
import { createHeldTool } from '../support/held-tool.ts';
import { checkLooks, findViolationsInBothThemes, takePicture } from './check-page.ts';
import { openChromium } from './open-chromium.ts';
import { startStage } from './stage.ts';
import { ask } from './talk.ts';

const definition = { description: null, parameters: { type: 'object' }, strict: null };

/** Tools with their own words: one reads, and one asks first. */
const read: Tool = {
  definition: { ...definition, name: 'invoice_read' },
  repeatable: true,
  level: 'allow',
  flow: { reads: {}, runs: 'always' },
  card: {
    templates: [{ ask: { en: 'Read the invoice {id}?' }, did: { en: '**Read** the invoice {id}' } }],
    fields: [{ path: 'id', label: { en: 'Invoice' }, kind: 'exact' }],
  },
  call: async () => 'paid',
};
const send: Tool = {
  definition: { ...definition, name: 'mail_send' },
  repeatable: false,
  flow: { reads: {}, runs: 'clean' },
  card: {
    templates: [{ ask: { en: 'Send a mail to {to}?' }, did: { en: '**Mail sent** to {to}' } }],
    fields: [{ path: 'to', label: { en: 'To' }, kind: 'exact' }],
  },
  call: async () => 'sent',
};

const held = createHeldTool();

let stage: Awaited<ReturnType<typeof startStage>>;
let browser: Awaited<ReturnType<typeof openChromium>>;

beforeAll(async () => {
  [stage, browser] = await Promise.all([
    startStage({ AGENT_DEPTH: '2' }, { tools: [read, send, held.tool] }),
    openChromium(),
  ]);
});

afterAll(async () => {
  await browser.close();
  await stage.close();
});

const MAIL = 'use mail_send {"to":"ann"}';
const stepsOf = (page: Page) => page.getByRole('log').locator('summary').allInnerTexts();
const lines = async (page: Page) => (await stepsOf(page)).map((line) => line.replaceAll(/\s+/g, ' ').trim());

test('an answered gate is one line with who and when, in every tab and after a reload', async () => {
  const page = await browser.signIn(stage.url);
  await ask(page, MAIL);
  await page.getByRole('button', { name: 'Approve once' }).waitFor();
  const other = await page.context().newPage();
  await other.goto(page.url());
  await other.getByRole('button', { name: 'Approve once' }).click();
  const approved = [expect.stringMatching(/^Mail sent to ann Approved by you, \d\d?:\d\d/)];
  for (const tab of [other, page]) await expect.poll(() => lines(tab)).toEqual(approved);
  await page.reload();
  await expect.poll(() => lines(page)).toEqual(approved);

  await ask(page, MAIL);
  await page.getByRole('button', { name: 'Deny' }).click();
  await page.keyboard.type('Wait until Friday');
  await page.keyboard.press('Enter');
  const denied = expect.stringMatching(/^Not run: Send a mail to ann · Wait until Friday Denied by you, \d\d?:\d\d/);
  for (const tab of [page, other]) await expect.poll(() => lines(tab)).toEqual([...approved, denied]);
  await takePicture(page, 'gate-answered');
  expect(await findViolationsInBothThemes(page)).toEqual([]);
  await other.close();
  await page.close();
});

test('a call that a rule allows says so, with a link to the rules', async () => {
  const page = await browser.signIn(stage.url);
  await ask(page, 'use mail_send {"to":"ben"}');
  await page.getByRole('button', { name: 'Always…' }).click();
  await page.getByRole('button', { name: 'Approve and remember' }).click();
  await page.getByText('Approved by you').waitFor();
  await ask(page, 'use mail_send {"to":"ben"}');
  await page.getByRole('link', { name: 'Allowed by a rule' }).click();
  await page.waitForURL('**/settings/approvals');
  await stage.home.query('delete from standing_approvals');
  await page.close();
});

test('finished steps fold to one line of verbs when text follows; the name of a tool is in the fold only', async () => {
  const page = await browser.signIn(stage.url);
  await ask(page, 'use invoice_read {"id":"A-1"}\nuse invoice_read {"id":"A-2"}');
  await page.getByRole('article').getByText('result: paid').waitFor();
  const fold = page.getByText('Read the invoice A-1, the invoice A-2');
  await fold.waitFor();
  expect((await lines(page))[0]).toMatch(/^Read the invoice A-1, the invoice A-2 2 steps, [\d.]+ m?s$/);
  expect(await page.getByRole('log').locator('summary').filter({ hasText: 'invoice_read' }).count()).toBe(0);
  await takePicture(page, 'steps-folded');
  await fold.click();
  await page.getByText('Read the invoice A-2', { exact: true }).click();
  await page.getByText('Invoice', { exact: true }).last().waitFor();
  expect(await page.getByText('invoice_read', { exact: true }).count()).toBe(0);
  await page.getByRole('button', { name: 'Exact arguments' }).last().click();
  await page.getByText('invoice_read', { exact: true }).waitFor();
  expect(await findViolationsInBothThemes(page)).toEqual([]);
  await page.close();
});

test('subagents stand below their call with what they wait for, and one is stopped alone', async () => {
  const page = await browser.signIn(stage.url);
  const delegate = (task: string) => `use reborn_agent_run ${JSON.stringify({ task })}`;
  const below = delegate('use step {"n":1}');
  await ask(page, [delegate('say first'), delegate(MAIL), delegate(below)].join('\n'));
  const card = page.getByRole('region', { name: '3 subagents' });
  const line = (task: string) => card.getByRole('listitem').filter({ hasText: task }).first();
  await line('say first').getByText('done').waitFor();
  await line(MAIL).getByText('waits for you').waitFor();
  await held.begun();
  await expect.poll(() => card.getByRole('listitem').count()).toBe(4);
  const marked = page.getByRole('link', { name: /, waits for you$/ });
  await marked.waitFor();
  const centre = async (name: string) => {
    const box = await line(MAIL).locator(name).last().boundingBox();
    return box ? box.y + box.height / 2 : Number.NaN;
  };
  expect(Math.abs((await centre('summary')) - (await centre('button')))).toBeLessThan(1);
  await checkLooks(page, 'subagents');

  const question = page.getByRole('region', { name: 'Waits for you: Send a mail to ann?' });
  await question.getByText(/^Asked by the subagent/).waitFor();
  await question.getByRole('button', { name: 'Approve once' }).click();
  await line(MAIL).getByText('done').waitFor();
  expect(await question.count()).toBe(0);
  await expect.poll(() => marked.count()).toBe(0);

  await line(below)
    .getByRole('button', { name: `Stop: ${below}` })
    .click();
  await expect.poll(() => card.getByText('stopped').count()).toBe(2);
  expect(held.stopped).toHaveLength(1);
  await page.getByRole('article').getByText('result: ').waitFor();
  expect(await card.getByRole('button', { name: /^Stop: / }).count()).toBe(0);

  await page.getByRole('button', { name: 'Inspect the newest turn' }).click();
  const waterfall = page.getByRole('region', { name: 'Waterfall' });
  for (const task of ['say first', 'use step']) await waterfall.getByRole('button', { name: task }).first().waitFor();
  expect(await waterfall.getByRole('button', { name: /^gate mail_send/ }).count()).toBe(1);
  expect(await findViolationsInBothThemes(page)).toEqual([]);
  await page.keyboard.press('Escape');
  await waterfall.waitFor({ state: 'detached' });

  await line('say first').locator('summary').click();
  await line('say first').getByRole('link', { name: 'Open its thread' }).click();
  await page.getByRole('article').getByText('first').waitFor();
  await page.close();
});

test('what is said about long work begins below its first word', async () => {
  const page = await browser.signIn(stage.url);
  await page.evaluate(() => {
    const now = Date.now;
    Date.now = () => now() + 60_000;
  });
  await ask(page, 'hang');
  const words = page.getByText('You can leave, it continues.');
  await words.waitFor();
  const begins = await words.evaluate((line) =>
    [line.previousElementSibling, line].map((each) => {
      const range = document.createRange();
      range.selectNodeContents(each ?? line);
      const text = [...range.getClientRects()].find(({ width }) => width > 20);
      return Math.round(text?.x ?? 0);
    }),
  );
  expect(begins[1]).toBe(begins[0]);
  await page.getByRole('button', { name: 'Stop', exact: true }).click();
  await page.getByText('Stopped by you.').waitFor();
  await page.close();
});
