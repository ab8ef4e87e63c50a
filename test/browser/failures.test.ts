import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  type Answer,
  followScript,
  isSummaryPrompt,
  type ScriptedModel,
  type SeenPrompt,
  startScriptedModel,
} from '../support/scripted-model.ts';
import { openChromium } from './open-chromium.ts';
import { startStage } from './stage.ts';
import { ask } from './talk.ts';

let decide: (prompt: SeenPrompt) => Answer = followScript;
let other: ScriptedModel;
let stage: Awaited<ReturnType<typeof startStage>>;
let browser: Awaited<ReturnType<typeof openChromium>>;

beforeAll(async () => {
  stage = await startStage({ LLM_TRIES: '3', LLM_RETRY_SECS: '80' }, {}, (prompt) => decide(prompt));
  other = await startScriptedModel();
  const spare = { provider: 'openai-compatible', name: 'spare', base_url: other.url };
  const body = JSON.stringify({ model_routes: { spare } });
  await stage.service.request('/api/settings', { method: 'PATCH', body });
  browser = await openChromium();
});

afterAll(async () => {
  await browser.close();
  await stage.close();
  await other.close();
});

test('a refused key is said in German, with the way to the models, and another model answers', async () => {
  decide = () => ({ status: 401 });
  const page = await browser.signIn(stage.url);
  await page.evaluate(() => localStorage.setItem('reborn.language', 'de'));
  await page.reload();
  await page.getByRole('textbox', { name: 'Nachricht' }).fill('say von einem anderen');
  await page.keyboard.press('Enter');

  const alert = page.getByRole('alert').filter({ hasText: 'hat den Schlüssel abgelehnt.' });
  await alert.getByText('Die Nachricht bleibt erhalten.').waitFor();
  expect(await alert.innerText()).not.toContain('The model');
  expect(await alert.getByRole('link', { name: 'Schlüssel prüfen' }).getAttribute('href')).toBe('/settings/models');
  await alert.getByRole('button', { name: 'Mit spare antworten' }).click();
  await page.getByRole('article').getByText('von einem anderen', { exact: true }).waitFor();
  await page.evaluate(() => localStorage.removeItem('reborn.language'));
  await page.close();
});

test('a thread that is too long for its model is summarised first, or begins its next message with a summary', async () => {
  decide = followScript;
  const page = await browser.signIn(stage.url);
  const ended = (answer: string) =>
    page
      .getByRole('article')
      .filter({ hasText: answer })
      .last()
      .getByTitle(/tokens$/)
      .waitFor({ state: 'attached' });
  await ask(page, `say calm ${'and the sea was quiet '.repeat(200)}`);
  await ended('calm and the sea');
  decide = () => ({ status: 400, message: 'The prompt exceeds the available context size.' });
  await ask(page, 'say shortened');
  const alert = page.getByRole('alert').filter({ hasText: 'This thread is too long for' });
  await alert.getByText('The message is kept.').waitFor();
  let summaries = 0;
  decide = (prompt) => {
    if (isSummaryPrompt(prompt)) summaries++;
    return followScript(prompt);
  };
  await alert.getByRole('button', { name: 'Summarise earlier messages' }).click();
  await page.getByRole('article').getByText('shortened', { exact: true }).waitFor();
  expect(summaries).toBe(1);

  await ask(page, `say wild ${'and the wind was strong '.repeat(200)}`);
  await ended('wild and the wind');
  const choose = async (entry: string) => {
    await page.locator('header h1').getByRole('button').click();
    await page.getByRole('menuitem', { name: entry }).click();
  };
  const told = page.getByRole('status');
  await choose('Summarise earlier messages');
  await told.getByText('Your next message begins with a summary of what was said before.').waitFor();
  await choose('Keep earlier messages as they are');
  await told.getByText('Your next message begins without a summary.').waitFor();
  await choose('Summarise earlier messages');
  await told.getByRole('button', { name: 'Undo' }).click();
  await told.getByText('Your next message begins without a summary.').waitFor();
  await page.close();
});

test('a busy model counts down to its next try, and can be tried now', async () => {
  let answers: (prompt: SeenPrompt) => Answer = () => ({ status: 503 });
  decide = (prompt) => answers(prompt);
  const page = await browser.signIn(stage.url);
  await ask(page, 'say at last');
  const line = page.getByText(/is busy\. Trying again in \d+ s, 2 of 3\./);
  await line.waitFor();
  answers = followScript;
  await page.getByRole('button', { name: 'Try now' }).click();
  await page.getByRole('article').getByText('at last', { exact: true }).waitFor();
  expect(await line.count()).toBe(0);
  await page.close();
});

test('a message that is refused because there are too many says when it is sent, and is sent', async () => {
  decide = followScript;
  const page = await browser.signIn(stage.url);
  await ask(page, 'say first');
  await page.getByRole('article').getByText('first', { exact: true }).waitFor();
  let refused = 0;
  await page.route('**/api/chat/send', (route) =>
    refused++ === 0
      ? route.fulfill({
          status: 429,
          headers: { 'retry-after': '3' },
          json: { error: { message: 'x', code: 'rate_limited' } },
        })
      : route.continue(),
  );
  await ask(page, 'say second');
  await page.getByText(/^Too many messages at once\. This one is sent in [123] s\.$/).waitFor();
  await page.getByRole('article').getByText('second', { exact: true }).waitFor();
  expect(await page.getByText('Too many messages at once.').count()).toBe(0);
  await page.close();
});
