import { afterAll, beforeAll, expect, test } from 'vitest';
import { checkCitations } from '#domain/search/citations.ts';
import type { ItemBody } from '#domain/thread/item.ts';
import { checkLooks, takePicture } from './check-page.ts';
import { openChromium } from './open-chromium.ts';
import { said, seedThread } from './seed-thread.ts';
import { startStage } from './stage.ts';

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
    } as ItemBody,
  },
  {
    body: {
      type: 'function_call_output',
      callId: 'c1',
      output: [{ type: 'text', text: 'Found.' }],
      reads: { foreign: true },
      costUsd: 0.02,
    } as ItemBody,
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
