import { afterAll, beforeAll, expect, test } from 'vitest';
import { startStandIn } from '../support/stand-in.ts';
import { checkPage } from './check-page.ts';
import { type OpenPage, openChromium } from './open-chromium.ts';
import { startStage } from './stage.ts';

let outside: Awaited<ReturnType<typeof startStandIn>>;
let stage: Awaited<ReturnType<typeof startStage>>;
let browser: Awaited<ReturnType<typeof openChromium>>;
let page: OpenPage;
let isDown = true;

beforeAll(async () => {
  outside = await startStandIn(() => ({ status: isDown ? 503 : 204, text: '' }));
  const parts = { network: outside.network, deliveries: { delaysSeconds: [0.05], pollEveryMs: 50 } };
  [stage, browser] = await Promise.all([startStage({}, parts), openChromium()]);
  await browser.enter(stage.url);
  page = await browser.open();
});

afterAll(async () => {
  await browser.close();
  await stage.close();
  await outside.close();
});

const endpoints = () => page.getByRole('list', { name: 'Endpoints' }).getByRole('listitem');
const deliveries = () => page.getByRole('list', { name: 'Deliveries' }).getByRole('listitem');

test('an endpoint is added and tested; a delivery that was given up is retried until it arrives', async () => {
  await page.goto(`${stage.url}/settings/notifications`);
  await page.getByText('No endpoints yet').waitFor();
  await page.getByRole('button', { name: 'Add an endpoint' }).click();
  const form = page.getByRole('dialog');
  await form.getByLabel('Name').fill('My phone');
  await form.getByLabel('Address').fill('https://hooks.example:8443/');
  await form.getByRole('button', { name: 'Add', exact: true }).click();
  await form.getByText('url must be an https address on port 443').waitFor();
  await form.getByLabel('Address').fill('https://hooks.example/reborn');
  await form.getByLabel('The events of all users').check();
  await form.getByRole('button', { name: 'Add', exact: true }).click();
  await page.getByText(/^whsec_/).waitFor();
  await page.getByRole('button', { name: 'Done' }).click();

  await endpoints().filter({ hasText: 'of all users' }).getByRole('button', { name: 'Send a test' }).click();
  await deliveries().getByText('given up').waitFor();
  await page.goto(`${stage.url}/settings/health`);
  await page.getByText('Open: 0. Given up: 1, of these in the last day: 1.').waitFor();
  await checkPage(page, 'health-with-dead-deliveries');
  await page.getByRole('link', { name: 'Look at the deliveries' }).click();
  await deliveries().getByRole('button').first().click();
  const drawer = page.getByRole('dialog');
  await expect.poll(() => drawer.getByRole('list', { name: 'Attempts' }).getByRole('listitem').count()).toBe(2);
  await drawer.getByText('The receiver answered 503.').first().waitFor();
  isDown = false;
  await drawer.getByRole('button', { name: 'Try again' }).click();
  await page.getByRole('dialog', { name: 'endpoint.test: delivered' }).waitFor();
  expect(outside.asked).toHaveLength(3);
});

test('quiet hours are turned on and off', async () => {
  await page.goto(`${stage.url}/settings/notifications`);
  await page.getByLabel('Time zone').fill('Europe/Nowhere');
  await page.getByRole('button', { name: 'Turn on' }).click();
  await page.getByText('must be an IANA name').waitFor();
  await page.getByLabel('Time zone').fill('Europe/Oslo');
  await page.getByRole('button', { name: 'Turn on' }).click();
  await page.getByText(/^Events wait from 10:00\sPM until 7:00\sAM \(Europe\/Oslo\)\.$/).waitFor();
  await page.getByRole('button', { name: 'Turn off' }).click();
  await page.getByText('Off: events are sent at any time.').waitFor();
});

test.each([
  ['light', 1440],
  ['dark', 390],
] as const)(
  'the page, a delivery and the form are accessible and fit the window: %s, %i pixels',
  async (theme, width) => {
    await page.emulateMedia({ colorScheme: theme });
    await page.setViewportSize({ width, height: 844 });
    await page.goto(`${stage.url}/settings/notifications`);
    await deliveries().first().waitFor();
    await checkPage(page, `page-${theme}-${width}`);
    await deliveries().getByRole('button').first().click();
    await page.getByRole('list', { name: 'Attempts' }).waitFor();
    await checkPage(page, `delivery-${theme}-${width}`);
    await page.getByRole('button', { name: 'Close' }).click();
    await page.getByRole('button', { name: 'Add an endpoint' }).click();
    await page.getByLabel('The events of all users').waitFor();
    await checkPage(page, `form-${theme}-${width}`);
  },
);
