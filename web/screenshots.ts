import { mkdir, stat } from 'node:fs/promises';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { createMailTool } from '../test/browser/mail-tool.ts';
import { openChromium } from '../test/browser/open-chromium.ts';
import { seedExamples } from '../test/browser/seed-examples.ts';
import { seedMissions } from '../test/browser/seed-missions.ts';
import { startStage } from '../test/browser/stage.ts';
import { WEBHOOK_SECRET } from '../test/support/service.ts';

/**
 * `npm run screenshots`: every page from a seeded database, in light, dark and phone size, into docs/pictures. With names of
 * pages, such as `npm run screenshots -- missions`, only those.
 */
const FOLDER = path.resolve('docs/pictures');
const MOST_BYTES = 150_000;

const WANTED = process.argv.slice(2);
const isWanted = (name: string) => WANTED.length === 0 || WANTED.includes(name);

const LOOKS = [
  { name: 'light', theme: 'light', width: 1280, height: 800 },
  { name: 'dark', theme: 'dark', width: 1280, height: 800 },
  { name: 'phone', theme: 'light', width: 390, height: 844, touch: true },
] as const;

const JOBS = [
  ['github-issue-1182', 'say triaged'],
  ['stripe-charge-77', 'say noted'],
  ['nightly-report', 'break 500'],
] as const;

const stage = await startStage({ HTTP_WEBHOOK_SECRET: WEBHOOK_SECRET }, { tools: [createMailTool().tool] });
try {
  await mkdir(FOLDER, { recursive: true });
  const shots = (await setScene()).filter((shot) => isWanted(shot.name));
  for (const { name, ...look } of LOOKS) {
    const browser = await openChromium(look);
    const page = await browser.signIn(stage.url);
    for (const shot of shots) {
      await page.goto(stage.url + shot.path);
      await page.getByRole('heading', { level: 1 }).first().waitFor();
      await shot.act?.(page);
      await take(page, `${shot.name}-${name}`);
    }
    await browser.context.clearCookies();
    await page.goto(stage.url);
    await page.getByLabel('Token').waitFor();
    if (isWanted('sign-in')) await take(page, `sign-in-${name}`);
    await browser.close();
  }
} finally {
  await stage.close();
}

type Shot = { readonly name: string; readonly path: string; readonly act?: (page: Page) => Promise<unknown> };

async function setScene(): Promise<Shot[]> {
  const { tour, failed, drawn, turn } = await seedExamples(stage);
  await seedMissions(stage);
  const gated = await openGate();
  for (const [conversation, message] of JOBS)
    await stage.service.webhook.submit({ message, conversation_id: conversation });
  return [
    { name: 'new', path: '/' },
    { name: 'chat', path: `/threads/${tour}`, act: scrolledUp },
    { name: 'rendering', path: `/threads/${drawn}`, act: withDiagram },
    { name: 'preview', path: `/threads/${drawn}`, act: withPreview },
    {
      name: 'gate',
      path: `/threads/${gated}`,
      act: (page) => page.getByRole('button', { name: 'Approve once' }).waitFor(),
    },
    { name: 'failure', path: `/threads/${failed}`, act: (page) => page.getByRole('alert').waitFor() },
    {
      name: 'inspector',
      path: `/turns/${turn}`,
      act: (page) => page.getByRole('region', { name: 'Waterfall' }).waitFor(),
    },
    { name: 'palette', path: '/', act: openPalette },
    { name: 'jobs', path: '/jobs' },
    { name: 'missions', path: '/missions' },
    { name: 'mission', path: '/missions', act: openMission },
    { name: 'memory', path: '/memory' },
    { name: 'tools', path: '/tools' },
    { name: 'skills', path: '/skills' },
    { name: 'skill', path: '/skills', act: openSkill },
    { name: 'settings', path: '/settings' },
    { name: 'users', path: '/operator/users' },
    { name: 'models', path: '/operator/models' },
    { name: 'usage', path: '/operator/usage', act: (page) => page.locator('.recharts-surface').last().waitFor() },
    { name: 'audit', path: '/operator/audit' },
    { name: 'health', path: '/operator/health' },
  ];
}

async function openGate(): Promise<string> {
  const message = 'use send_mail {"to": "ann@example.com", "subject": "The release notes", "text": "They are ready."}';
  const answer = await stage.service.request('/api/chat', { method: 'POST', body: JSON.stringify({ message }) });
  const { thread_id: threadId } = (await answer.json()) as { thread_id: string };
  await stage.service.request(`/api/threads/${threadId}`, {
    method: 'PATCH',
    body: JSON.stringify({ title: 'Mail to Ann' }),
  });
  await stage.home.query(
    `update items set body = jsonb_set(body::jsonb, '{content,0,text}', '"Tell Ann that the release notes are ready."')::json
     where thread_id = $1 and position = 0`,
    [threadId],
  );
  return threadId;
}

async function scrolledUp(page: Page): Promise<void> {
  await page.getByText('Which of it works with a pram?').waitFor();
  await page.getByRole('log').evaluate((element) => element.scrollTo({ top: 0 }));
  await page.locator('[data-streamdown="code-block"] span[style]').first().waitFor({ state: 'attached' });
}

async function withDiagram(page: Page): Promise<void> {
  await page.getByRole('img', { name: 'Diagram' }).waitFor();
  await page.locator('.katex').first().waitFor();
  await page.getByRole('log').evaluate((element) => element.scrollTo({ top: 0 }));
}

async function withPreview(page: Page): Promise<void> {
  await page.getByRole('img', { name: 'Diagram' }).waitFor();
  await page.getByRole('button', { name: 'Preview' }).click();
  await page.frameLocator('iframe[title="Preview"]').getByText('40.8 m').waitFor();
  await page.getByRole('log').evaluate((element) => element.scrollTo({ top: element.scrollHeight }));
}

async function openSkill(page: Page): Promise<void> {
  await page.getByRole('button', { name: /release-notes/ }).click();
  await page.getByRole('dialog').getByRole('heading', { name: 'Order' }).waitFor();
}

async function openMission(page: Page): Promise<void> {
  await page.getByRole('button', { name: /Morning summary/ }).click();
  await page.getByRole('dialog').getByText('nothing to report').waitFor();
}

async function openPalette(page: Page): Promise<void> {
  await page.keyboard.press('Control+k');
  await page.getByRole('option').nth(8).waitFor();
}

async function take(page: Page, name: string): Promise<void> {
  await page.waitForLoadState('networkidle').catch(() => {});
  await page.waitForFunction(() => document.querySelector('.skeleton') === null);
  const file = path.join(FOLDER, `${name}.png`);
  await page.screenshot({ path: file, animations: 'disabled', caret: 'initial' });
  const { size } = await stat(file);
  if (size > MOST_BYTES) throw new Error(`${name}.png has ${size} bytes; ${MOST_BYTES} are the most.`);
}
