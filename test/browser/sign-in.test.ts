import { afterAll, beforeAll, expect, test } from 'vitest';
import { startIdentityProvider } from '../support/identity-provider.ts';
import { TOKEN } from '../support/service.ts';
import { openChromium } from './open-chromium.ts';
import { startStage } from './stage.ts';
import { ask } from './talk.ts';

const PATIENT = { timeout: 20_000 };
const PEOPLE = [{ sub: 'ann', name: 'Ann', email: 'ann@example.com', email_verified: true }];

let idp: Awaited<ReturnType<typeof startIdentityProvider>>;
let stage: Awaited<ReturnType<typeof startStage>>;
let browser: Awaited<ReturnType<typeof openChromium>>;

beforeAll(async () => {
  idp = await startIdentityProvider({ people: PEOPLE, conformIdTokenClaims: true });
  [stage, browser] = await Promise.all([startStage(idp.env), openChromium()]);
});

afterAll(async () => {
  await browser.close();
  await stage.close();
  await idp.close();
});

test('single sign-on leads to the chat of somebody who was never here', async () => {
  const page = await browser.open();
  await page.goto(stage.url);
  await page.getByRole('link', { name: 'Sign in with single sign-on' }).click();
  await page.getByRole('textbox', { name: 'Message' }).waitFor();
  await page.getByRole('button', { name: /account of Ann/ }).waitFor();
  await ask(page, 'say welcome');
  await page.getByRole('article').getByText('welcome').waitFor();
  expect(await page.getByText('Operator', { exact: true }).count()).toBe(0);
  await page.close();
});

test('a token that is typed in opens the chat, and does not stay in the address', async () => {
  await browser.context.clearCookies();
  const page = await browser.open();
  await page.goto(`${stage.url}/jobs`);
  await page.getByLabel('Token').fill(TOKEN);
  await page.keyboard.press('Enter');
  await page.getByRole('textbox', { name: 'Message' }).waitFor();
  expect(page.url()).not.toContain(TOKEN);
  await page.close();
});

test('a token that is not known is told of on the way in, and does not stay in the address', async () => {
  await browser.context.clearCookies();
  const page = await browser.open();
  await page.goto(`${stage.url}/login`);
  await page.getByLabel('Token').fill('mistyped');
  await page.keyboard.press('Enter');
  await page.getByRole('alert').getByText('This token is not known here').waitFor();
  expect(page.url()).toBe(`${stage.url}/login`);
  expect(page.problems).toEqual([]);
  await page.close();
});

test('who signs out is shown the way in, in every tab', async () => {
  const page = await browser.signIn(stage.url);
  const other = await browser.open();
  await other.goto(stage.url);
  await other.getByRole('textbox', { name: 'Message' }).waitFor();
  await page.getByRole('button', { name: /Theme and account/ }).click();
  await page.getByRole('menuitem', { name: 'Sign out' }).click();
  for (const tab of [page, other]) await expect.poll(() => tab.getByLabel('Token').isVisible(), PATIENT).toBe(true);
  await Promise.all([page.close(), other.close()]);
});
