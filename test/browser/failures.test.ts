import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  type Answer,
  followScript,
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
