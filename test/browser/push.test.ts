import type { Worker } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createMailTool } from './mail-tool.ts';
import { type OpenPage, openChromium } from './open-chromium.ts';
import { startStage } from './stage.ts';
import { ask } from './talk.ts';

const { tool, sent } = createMailTool();
let stage: Awaited<ReturnType<typeof startStage>>;
let browser: Awaited<ReturnType<typeof openChromium>>;
let page: OpenPage;
let worker: Worker;

beforeAll(async () => {
  [stage, browser] = await Promise.all([startStage({}, { tools: [tool] }), openChromium({ workers: true })]);
  page = await browser.signIn(stage.url);
  await page.evaluate(async () => (await navigator.serviceWorker.ready).active?.scriptURL);
  worker = browser.context.serviceWorkers()[0] ?? (await browser.context.waitForEvent('serviceworker'));
  await worker.evaluate(() => {
    const scope = globalThis as unknown as WorkerScope;
    const show = scope.registration.showNotification.bind(scope.registration);
    scope.handled = 0;
    scope.registration.showNotification = (...words) => show(...words).finally(() => scope.handled++);
  });
});

afterAll(async () => {
  await browser.close();
  await stage.close();
});

type WorkerScope = {
  readonly registration: ServiceWorkerRegistration;
  readonly NotificationEvent: new (type: string, init: object) => Event;
  /** How many messages the worker has shown. */
  handled: number;
};

const handled = () => worker.evaluate(() => (globalThis as unknown as WorkerScope).handled);

/**
 * Raises the push event of the service worker, as the browser does when a message arrives, and waits until the worker has shown
 * it. Chromium deletes a notification that is stored, but not on the screen yet, when a page asks for the list.
 */
async function deliver(data: string): Promise<void> {
  const before = await handled();
  const devtools = await browser.context.newCDPSession(page);
  const found = new Promise<string>((resolve) =>
    devtools.on('ServiceWorker.workerRegistrationUpdated', ({ registrations }) => {
      const known = registrations.find(({ isDeleted }) => !isDeleted);
      if (known) resolve(known.registrationId);
    }),
  );
  await devtools.send('ServiceWorker.enable');
  const registrationId = await found;
  await devtools.send('ServiceWorker.deliverPushMessage', { origin: stage.url, registrationId, data });
  await devtools.detach();
  await expect.poll(handled).toBe(before + 1);
}

const shown = () =>
  page.evaluate(async () => {
    const registration = await navigator.serviceWorker.ready;
    return (await registration.getNotifications()).map(({ title, body, tag, data }) => ({ title, body, tag, data }));
  });

/** Clicks the notification. DevTools has no command for it, so the worker gets the event that the browser would send. */
async function click(tag: string): Promise<void> {
  await worker.evaluate(async (wanted) => {
    const scope = globalThis as unknown as WorkerScope;
    const [notification] = await scope.registration.getNotifications({ tag: wanted });
    globalThis.dispatchEvent(new scope.NotificationEvent('notificationclick', { notification }));
  }, tag);
}

test('a message is shown once, a repeated one replaces it, and one that is not readable is shown without content', async () => {
  const message = { title: 'Reborn needs you', body: 'A thread waits for your approval.', path: '/jobs', tag: 'one' };
  await deliver(JSON.stringify(message));
  await deliver(JSON.stringify(message));
  const { path, ...rest } = message;
  await expect.poll(shown).toEqual([{ ...rest, data: { path } }]);
  await deliver('not JSON');
  await deliver(JSON.stringify({ ...message, path: '//evil.example/', tag: 'evil' }));
  await expect
    .poll(async () => (await shown()).map(({ tag, data }) => [tag, data]))
    .toEqual(expect.arrayContaining([['unread', { path: '/' }]]));
  expect((await shown()).some(({ tag }) => tag === 'evil')).toBe(false);
});

test('a notification leads to the gate; approving it runs the call once, and an old notification approves nothing', async () => {
  await ask(page, 'use send_mail {"to": "ann@example.com", "text": "hi"}');
  await page.getByRole('button', { name: 'Approve once' }).waitFor();
  const thread = new URL(page.url()).pathname;
  const listed = await stage.service.request('/api/gates');
  const { gates } = (await listed.json()) as { gates: { id: string }[] };
  const path = `${thread}?gate=${gates[0]?.id}`;
  await page.goto(`${stage.url}${path}`);
  const card = page.getByRole('region', { name: 'Waits for you: Run send_mail?' });
  await card.getByText('ann@example.com').first().waitFor();
  expect(await page.getByText('is no longer open').count()).toBe(0);
  await card.getByRole('button', { name: 'Approve once' }).click();
  await page.getByRole('article').getByText('result: sent number 1').waitFor();
  await page.getByText('The question in the notification was answered').waitFor();
  await page.goto(`${stage.url}${path}`);
  await page.getByText('The question in the notification was answered').waitFor();
  expect(await page.getByRole('button', { name: 'Approve once' }).count()).toBe(0);
  expect(sent).toHaveLength(1);
});

test('a tap on a notification opens its page in the open window', async () => {
  await deliver(JSON.stringify({ title: 'Reborn', body: 'A mission failed.', path: '/missions', tag: 'tapped' }));
  await expect.poll(async () => (await shown()).some(({ tag }) => tag === 'tapped')).toBe(true);
  await click('tapped');
  await page.getByRole('heading', { name: 'Missions', exact: true }).waitFor();
  await expect.poll(async () => (await shown()).some(({ tag }) => tag === 'tapped')).toBe(false);
});

test('the page says whether notifications are on in this browser', async () => {
  await page.goto(`${stage.url}/settings/notifications`);
  await page.getByRole('button', { name: 'Turn on in this browser' }).waitFor();
  const folder = process.env['PICTURES'];
  if (folder) await page.screenshot({ path: `${folder}/devices.png` });
  expect(page.problems).toEqual([]);
});
