import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { checkCitations } from '#domain/search/citations.ts';
import type { ItemBody } from '#domain/thread/item.ts';
import { makeScan } from '../support/document-files.ts';
import { checkLooks, checkPage, takePicture } from './check-page.ts';
import { openChromium } from './open-chromium.ts';
import { seedCited } from './seed-cited.ts';
import { said, seedThread } from './seed-thread.ts';
import { startStage } from './stage.ts';
import { share } from './talk.ts';

let stage: Awaited<ReturnType<typeof startStage>>;
let browser: Awaited<ReturnType<typeof openChromium>>;

beforeAll(async () => {
  [stage, browser] = await Promise.all([startStage(), openChromium()]);
});

afterAll(async () => {
  await browser.close();
  await stage.close();
});

const ANSWER = `The ferry is back: “the ferry runs again twice a day” [s1]. The toll fell by a third [s2], and the council said that “nobody will ever pay again” [s1]. Others expect more boats [s7].

Code stays code: \`list[s1]\`.`;
const page = { published: '2026-05-02', how: 'read' } as const;
const SOURCES = [
  {
    ...page,
    number: 1,
    url: 'https://www.lund.example/harbour',
    title: 'Harbour of Lund',
    text: 'In May, the ferry runs again twice a day.',
  },
  {
    ...page,
    number: 2,
    url: 'https://news.example/toll',
    title: 'The toll falls',
    text: 'Toll',
    how: 'found' as const,
    published: null,
  },
];

const SEARCHED: { readonly body: ItemBody }[] = [
  {
    body: {
      type: 'function_call',
      callId: 'c1',
      name: 'reborn_web_search',
      arguments: '{"queries":["ferry"]}',
      external: false,
    },
  },
  {
    body: {
      type: 'function_call_output',
      callId: 'c1',
      output: [{ type: 'text', text: 'Found.' }],
      reads: { foreign: true },
      costUsd: 0.02,
    },
  },
];

test('an answer shows its sources, what was found about each, and which words are not on the page', async () => {
  const citations = checkCitations(ANSWER, SOURCES);
  const threadId = await seedThread(stage.home, {
    title: 'Ferry',
    turns: [{ asked: 'Is the ferry back?', made: [...SEARCHED, { body: { ...said(ANSWER), citations } as ItemBody }] }],
  });
  await browser.enter(stage.url);
  const shown = await browser.open();
  await shown.goto(`${stage.url}/threads/${threadId}`);
  const answer = shown.getByRole('article');
  const chips = answer.locator('.prose a[aria-label]');
  await chips.first().waitFor();
  expect(await chips.evaluateAll((all) => all.map((chip) => chip.getAttribute('aria-label')))).toEqual([
    'Source 1, lund.example',
    'Source 2, news.example: from the search result',
    'Source 1, lund.example: these words are not on the page',
    'There is no such source',
  ]);
  expect(await chips.first().getAttribute('href')).toContain('harbour#:~:text=the%20ferry%20runs');
  expect(await answer.getByRole('list', { name: 'Sources' }).getByRole('listitem').allInnerTexts()).toMatchObject([
    expect.stringContaining('lund.example'),
    expect.stringContaining('news.example'),
  ]);
  expect(await answer.innerText()).toContain('list[s1]');

  await chips.nth(2).focus();
  await shown.getByText('These words are not on the page.').waitFor();
  await shown.getByText('nobody will ever pay again').last().waitFor();
  await takePicture(shown, 'citation-missing');
  await shown.keyboard.press('Escape');
  await shown.getByText('These words are not on the page.').waitFor({ state: 'detached' });
  await chips.first().hover();
  await shown.getByText('These words are on the page.').waitFor();
  await shown.getByText('2026-05-02').waitFor();
  await takePicture(shown, 'citation-card');
  await shown.mouse.move(0, 0);
  await shown.locator('body').click({ position: { x: 1, y: 1 } });
  await checkLooks(shown, 'citations');

  await shown.getByRole('button', { name: 'Inspect the newest turn' }).click();
  const inspector = shown.getByRole('dialog');
  expect(await inspector.getByRole('row', { name: /^this turn/ }).innerText()).toMatch(/1\s+0\s+\$0.02/);
  const checks = inspector.locator('section', { hasText: 'Citations' }).getByRole('listitem');
  expect(await checks.allInnerTexts()).toMatchObject([
    expect.stringMatching(/s1 Harbour of Lund[^]*These words are on the page[^]*the ferry runs again/),
    expect.stringMatching(/s2 The toll falls[^]*From the search result/),
    expect.stringMatching(/s1 Harbour of Lund[^]*These words are not on the page/),
    expect.stringMatching(/s7[^]*There is no such source or page/),
  ]);
  await takePicture(shown, 'citation-checks');
  expect(shown.problems).toEqual([]);
  await shown.close();
});

test('a citation of a document opens its page beside the thread, with the quoted words marked', async () => {
  const threadId = await seedCited(stage);
  await browser.enter(stage.url);
  const shown = await browser.open();
  await shown.goto(`${stage.url}/threads/${threadId}`);
  const answer = shown.getByRole('article');
  const chips = answer.locator('.prose [aria-label]');
  await chips.first().waitFor();
  expect(await chips.evaluateAll((all) => all.map((chip) => chip.getAttribute('aria-label')))).toEqual([
    'Source 1, lease.pdf, page 2',
    'Source 2, tenants.example',
    'Source 3, lease.pdf, page 3',
    'Source 3, lease.pdf, page 3: these words are not on the page',
    'lease.pdf, page 7: there is no such page',
  ]);
  const sources = answer.getByRole('list', { name: 'Sources' });
  expect(await sources.getByRole('listitem').allInnerTexts()).toEqual([
    expect.stringMatching(/^1\s*lease\.pdf\s*Page 2$/),
    expect.stringContaining('tenants.example'),
    expect.stringMatching(/^3\s*lease\.pdf\s*Page 3$/),
  ]);

  await chips.first().hover();
  await shown.getByText('These words are on the page.').waitFor();
  await shown.locator('blockquote mark').waitFor();
  await takePicture(shown, 'citation-page-card');
  await chips.nth(4).focus();
  await shown.getByText('There is no such page. The agent has invented it.').waitFor();
  await shown.keyboard.press('Escape');

  await chips.first().click();
  const panel = shown.getByRole('complementary', { name: 'Files' });
  const marked = panel.locator('mark');
  await marked.waitFor();
  expect((await marked.innerText()).replace(/\s+/g, ' ')).toBe(
    'The tenant pays a deposit of 2,700 euros before the keys are handed over',
  );
  await panel.getByText('Page 2 of 3').waitFor();
  await leaveCard(shown);
  await checkLooks(shown, 'citation-page');
  await panel.getByRole('button', { name: 'Page before' }).click();
  await panel.getByText('Between Ines Holm (landlord)').waitFor();
  await chips.nth(3).click();
  await panel.getByText('These words are not on the page: “the landlord may keep the whole deposit”').waitFor();
  await panel.getByText('The landlord repairs the flat').waitFor();
  await leaveCard(shown);
  await checkPage(shown, 'citation-page-missing');

  await shown.setViewportSize({ width: 390, height: 844 });
  await shown.keyboard.press('Escape');
  await chips.first().waitFor();
  const focused = () => shown.evaluate(() => document.activeElement?.getAttribute('aria-label'));
  await expect.poll(focused).toMatch(/^Source \d, lease\.pdf/); // and shows its card, until the focus moves on
  await sources.getByRole('button', { name: 'lease.pdf Page 2' }).focus();
  await leaveCard(shown);
  await sources.getByRole('button', { name: 'lease.pdf Page 2' }).click();
  await panel.getByText('2.2 The tenant pays').waitFor();
  await panel.getByRole('button', { name: 'Close' }).click();
  await sources.getByRole('button', { name: 'lease.pdf Page 2' }).waitFor();

  await shown.setViewportSize({ width: 1280, height: 800 });
  await shown.goto(await share(shown, 'Deposit of the flat'));
  await shown.getByText('lease.pdf, p. 2').waitFor();
  expect(shown.problems).toEqual([]);
  await shown.close();
});

test('words that are quoted from a scan count as not checked', async () => {
  const scan = { pictures: [{ width: 60, points: Buffer.alloc(60 * 80, 200) }] };
  const attachments = [{ name: 'scan.pdf', media_type: 'application/pdf', data: makeScan([scan]).toString('base64') }];
  const send = async (body: object) => {
    const sent = await stage.service.request('/api/chat', { method: 'POST', body: JSON.stringify(body) });
    return ((await sent.json()) as { thread_id: string }).thread_id;
  };
  const thread_id = await send({ message: 'use reborn_document_read {"file":"scan.pdf"}', attachments });
  await send({ message: 'say “the tenant may keep a cat in the flat” [scan.pdf, p. 1].', thread_id });
  await browser.enter(stage.url);
  const shown = await browser.open();
  await shown.goto(`${stage.url}/threads/${thread_id}`);
  const chip = shown.getByLabel('Source 1, scan.pdf, page 1: these words were not checked');
  await chip.focus();
  await shown.getByText('The page has no text, so these words were not checked.').waitFor();
  await takePicture(shown, 'citation-scan');
  await chip.click();
  await shown.getByText('This page has no text, such as a scan.').waitFor();
  expect(shown.problems).toEqual([]);
  await shown.close();
});

async function leaveCard(shown: Page): Promise<void> {
  await shown.mouse.move(0, 0);
  await shown.locator('[data-base-ui-portal] blockquote').waitFor({ state: 'detached' });
}
