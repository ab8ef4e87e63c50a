import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { addUser } from '../support/accounts.ts';
import { startIdentityProvider } from '../support/identity-provider.ts';
import { TOKEN } from '../support/service.ts';
import { openChromium } from './open-chromium.ts';
import { startStage } from './stage.ts';
import { ask } from './talk.ts';

async function newLink(headers: Record<string, string> = {}): Promise<string> {
  const made = await stage.service.request('/api/sign-in-links', { method: 'POST', body: '{}', headers });
  return ((await made.json()) as { url: string }).url;
}

const PATIENT = { timeout: 60_000 };
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

test('single sign-on leads a new user to the chat', async () => {
  const page = await browser.open();
  await page.goto(stage.url);
  await page.getByRole('link', { name: 'Sign in with single sign-on' }).click();
  await page.getByRole('textbox', { name: 'Message' }).waitFor();
  await page.getByRole('button', { name: /^Ann.*, account and settings/ }).waitFor();
  await ask(page, 'say welcome');
  await page.getByRole('article').getByText('welcome').waitFor();
  await page.goto(`${stage.url}/settings`);
  await page.getByRole('link', { name: 'Approvals' }).waitFor();
  expect(await page.getByRole('link', { name: 'Users and roles' }).count()).toBe(0);
  await page.close();
});

test('a token that is typed in opens the chat, and does not stay in the address', async () => {
  await browser.context.clearCookies();
  const page = await browser.open();
  await page.goto(`${stage.url}/settings/jobs`);
  await page.getByLabel('Token').fill(TOKEN);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Jobs', exact: true }).waitFor(); // the page that was asked for
  expect(page.url()).not.toContain(TOKEN);
  await page.goto(stage.url);
  await page.getByRole('textbox', { name: 'Message' }).waitFor();
  await page.close();
});

test('an invalid token is reported at sign-in, and does not stay in the address', async () => {
  await browser.context.clearCookies();
  const page = await browser.open();
  await page.goto(`${stage.url}/login`);
  await page.getByLabel('Token').fill('mistyped');
  await page.keyboard.press('Enter');
  await page.getByRole('alert').getByText('Invalid or expired token').waitFor();
  expect(page.url()).toBe(`${stage.url}/login`);
  expect(page.problems).toEqual([]);
  await page.close();
});

test('an invitation asks for a name, makes a user, and works once', async () => {
  await browser.context.clearCookies();
  const made = await stage.service.request('/api/invitations', { method: 'POST', body: '{"role":"member"}' });
  const { url } = (await made.json()) as { url: string };
  const page = await browser.open();
  await page.goto(url);
  await page.getByLabel('Your name').fill('Vera Lind');
  expect(page.url()).toBe(`${stage.url}/login`);
  await page.getByRole('button', { name: 'Join' }).click();
  await page.getByRole('button', { name: /^Vera Lind.*, account and settings/ }).waitFor();
  await page.goto(`${stage.url}/settings/general`);
  await page.getByText('Operators change names and roles').waitFor();

  await page.getByRole('link', { name: 'Usage' }).click();
  await page.getByText('There is no limit for you.').waitFor();
  await page.getByRole('heading', { name: 'This month' }).waitFor();

  const { url: next } = (await (
    await stage.service.request('/api/invitations', { method: 'POST', body: '{"role":"operator"}' })
  ).json()) as { url: string };
  await page.goto('about:blank'); // an address with another # alone does not load the page again
  await page.goto(next);
  await page.getByLabel('Your name').fill('Vera the second');
  await page.getByRole('button', { name: 'Join' }).click();
  await page.getByRole('alert').getByText('signed in already').waitFor();
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByRole('button', { name: 'Join' }).click();
  await page.getByRole('button', { name: /^Vera the second.*, account and settings/ }).waitFor();

  await browser.context.clearCookies();
  await page.goto('about:blank');
  await page.goto(url);
  await page.getByLabel('Your name').fill('Somebody else');
  await page.getByRole('button', { name: 'Join' }).click();
  await page.getByRole('alert').getByText('This invitation was used before').waitFor();
  await page.close();
});

test('a sign-in link asks before it signs in, works once, and leaves the address', async () => {
  await browser.context.clearCookies();
  const link = await newLink();
  const page = await browser.open();
  await page.goto(link);
  const confirm = page.getByRole('button', { name: 'Sign in with this link' });
  await confirm.waitFor();
  expect(page.url()).toBe(`${stage.url}/login`);
  const cookies = await browser.context.cookies(stage.url);
  expect(cookies.filter(({ name }) => name === 'reborn_session')).toEqual([]);
  await confirm.click();
  await page.getByRole('textbox', { name: 'Message' }).waitFor();

  await page.goto(link);
  await confirm.click();
  await page.getByRole('alert').getByText('This link was used before').waitFor();
  await page.close();
});

test('a link on another site changes no session, and another port gets a cookie that is useless', async () => {
  const attacker = await addUser(stage.service, 'Attacker');
  const link = await newLink(attacker.headers);
  const cookies: string[] = [];
  const evil = createServer((request, response) => {
    cookies.push(request.headers.cookie ?? '');
    const script = `<script>setTimeout(() => document.links[0].click(), 100)</script>`;
    response.setHeader('content-type', 'text/html').end(`<a href="${link}">see the report</a>${script}`);
  });
  await once(evil.listen(0, '127.0.0.1'), 'listening');
  const { port } = evil.address() as AddressInfo;
  const page = await browser.signIn(stage.url);
  await page.goto(`http://localhost:${port}/`); // another site
  await page.getByRole('button', { name: 'Sign in with this link' }).waitFor();
  await page.goto(stage.url);
  await page.getByRole('button', { name: /, account and settings/ }).waitFor();

  await page.goto(`http://127.0.0.1:${port}/`); // the same site, another port
  await expect.poll(() => cookies.at(-1)).toContain('reborn_session=');
  const stolen = await fetch(`${stage.url}/api/me`, { headers: { cookie: cookies.at(-1) ?? '' } });
  expect(stolen.status).toBe(401);
  await page.close();
  evil.close();
});

test('a session that ends while a message is written leads to the sign-in page, and back to the draft', async () => {
  const page = await browser.signIn(stage.url);
  await ask(page, 'say one');
  await page.getByRole('article').getByText('one').waitFor();
  const thread = page.url();
  const composer = page.getByRole('textbox', { name: 'Message' });
  await composer.fill('say what took long to write');
  await browser.context.clearCookies();
  await composer.press('Enter');
  await page.getByRole('alert').getByRole('button', { name: 'Sign in' }).click();
  await page.getByLabel('Token').fill(TOKEN);
  await page.keyboard.press('Enter');
  await expect.poll(() => composer.inputValue().catch(() => ''), PATIENT).toBe('say what took long to write');
  expect(page.url()).toBe(thread);
  await page.close();
});

test('after signing out, every tab shows the way in', async () => {
  const page = await browser.signIn(stage.url);
  const other = await browser.open();
  await other.goto(stage.url);
  await other.getByRole('textbox', { name: 'Message' }).waitFor();
  await page.getByRole('button', { name: /account and settings/ }).click();
  await page.getByRole('menuitem', { name: 'Sign out' }).click();
  for (const tab of [page, other]) await expect.poll(() => tab.getByLabel('Token').isVisible(), PATIENT).toBe(true);
  await Promise.all([page.close(), other.close()]);
});
