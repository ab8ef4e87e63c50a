import { afterAll, beforeAll, expect, test } from 'vitest';
import { newId } from '#domain/ids.ts';
import { addUser } from '../support/accounts.ts';
import { APP, startWorkspace, type Workspace } from '../support/slack/workspace.ts';
import { BOT, type BotApi, startBotApi } from '../support/telegram/bot-api.ts';
import { createPerson } from '../support/telegram/person.ts';
import { checkLooks } from './check-page.ts';
import { type OpenPage, openChromium } from './open-chromium.ts';
import { startStage } from './stage.ts';
import { confirm } from './talk.ts';

const TELEGRAM_ADDRESS = '93.184.215.14';
const SLACK_ADDRESS = '93.184.215.15';

let telegram: BotApi;
let slack: Workspace;
let stage: Awaited<ReturnType<typeof startStage>>;
let browser: Awaited<ReturnType<typeof openChromium>>;
let page: OpenPage;

beforeAll(async () => {
  [telegram, slack] = await Promise.all([startBotApi(), startWorkspace()]);
  const network = {
    resolve: async (host: string) => [host === 'api.telegram.org' ? TELEGRAM_ADDRESS : SLACK_ADDRESS],
    dial: (address: string) => ({
      host: '127.0.0.1',
      port: address === TELEGRAM_ADDRESS ? telegram.port : slack.port,
      tls: false,
    }),
  };
  const env = { PUBLIC_URL: 'https://reborn.example' };
  [stage, browser] = await Promise.all([startStage(env, { network, chats: { pollEveryMs: 100 } }), openChromium()]);
  await browser.enter(stage.url);
  page = await browser.open();
});

afterAll(async () => {
  await browser.close();
  await stage.close();
  await Promise.all([telegram.close(), slack.close()]);
});

const channels = () => page.getByRole('list', { name: 'Channels', exact: true }).getByRole('listitem');
const dialog = () => page.getByRole('dialog', { name: 'Add a channel' });
const field = (label: string) => dialog().getByLabel(label, { exact: true });
const add = () => dialog().getByRole('button', { name: 'Add', exact: true }).click();

/** The error of the field that has the focus, as a screen reader reads it. */
const errorAtFocus = () =>
  page.evaluate(() => {
    const focused = document.activeElement;
    const [id = ''] = focused?.getAttribute('aria-describedby')?.split(' ') ?? [];
    return focused?.getAttribute('aria-invalid') === 'true' ? document.getElementById(id)?.innerText : undefined;
  });

async function openForm(platform: string): Promise<void> {
  await page.goto(`${stage.url}/settings/channels`);
  await page.getByRole('button', { name: 'Add a channel' }).click();
  await field('Platform').selectOption(platform);
}

test('an operator adds a Telegram bot, tests it and removes it; a wrong token is reported at its field', async () => {
  await page.goto(`${stage.url}/settings`);
  await page.getByRole('link', { name: 'Channels' }).click();
  await page.getByText('No channels yet').waitFor();
  await checkLooks(page, 'channels-empty');

  await page.getByRole('button', { name: 'Add a channel' }).click();
  expect(await field('Bot token').getAttribute('type')).toBe('password');
  await field('Bot token').fill('1:wrong-token-of-the-test');
  await add();
  await expect.poll(errorAtFocus).toContain('Unauthorized');
  await checkLooks(page, 'channels-wrong-token');
  await field('Bot token').fill(BOT.token);
  await add();
  await dialog().waitFor({ state: 'detached' });
  await channels().getByText('Telegram, by polling').waitFor();
  createPerson(501, 'Ann').say(telegram, 'hello');
  await channels().getByText('connected', { exact: true }).waitFor();
  expect(await page.content()).not.toContain(BOT.token);

  const testButton = page.getByRole('button', { name: `Test ${BOT.username}` });
  await testButton.click();
  await channels().getByRole('status').getByText('The platform accepts the credentials.').waitFor();
  telegram.fail(/^getMe$/, { status: 401, description: 'Unauthorized' });
  await testButton.click();
  await channels().getByRole('status').getByText('Unauthorized').waitFor();

  await page.getByRole('button', { name: `Remove ${BOT.username}` }).click();
  await confirm(page, 'Remove');
  await page.getByText('No channels yet').waitFor();
  expect(page.problems).toEqual([]);
});

test('a Slack app asks for the secret of its mode, and shows the address that its settings need', async () => {
  await openForm('slack');
  await field('App-level token').waitFor();
  await checkLooks(page, 'channels-slack');
  await field('How messages arrive').selectOption('webhook');
  await field('App-level token').waitFor({ state: 'detached' });
  await field('Bot token').fill(APP.token);
  await field('Signing secret').fill('not hexadecimal');
  await add();
  await expect.poll(errorAtFocus).toContain('signing_secret must be the signing secret');
  await field('Signing secret').fill(APP.signingSecret);
  await add();
  await channels().getByText('Slack, by webhook').waitFor();
  const [shown] = await channels().locator('code').allInnerTexts();
  expect(shown).toMatch(/^https:\/\/reborn\.example\/channels\/slack\/[\da-f-]{36}$/);
  expect(page.problems).toEqual([]);
});

test('a mailbox asks for both servers, and its errors are shown at their fields', async () => {
  await openForm('mail');
  const smtp = dialog().getByRole('group', { name: 'SMTP server' });
  await field('Mail address of the agent').fill('agent@example.com');
  await dialog().getByRole('group', { name: 'IMAP server' }).getByLabel('Host').fill('imap.example.com');
  await smtp.getByLabel('Host').fill('smtp.example.com');
  await field('Password').fill('secret');
  await field('Name in Authentication-Results').fill('mx.example.com');
  await smtp.getByLabel('Encryption').selectOption('starttls');
  expect(await smtp.getByLabel('Port').inputValue()).toBe('587');
  await smtp.getByLabel('Port').fill('2525');
  await smtp.getByLabel('Encryption').selectOption('none');
  expect(await smtp.getByLabel('Port').inputValue()).toBe('2525');
  await add();
  await expect.poll(errorAtFocus).toContain('on a private network alone');
  const focused = () => page.evaluate(() => (document.activeElement as HTMLInputElement).type);
  expect(await focused()).toBe('checkbox');
  await checkLooks(page, 'channels-mail');
  expect(page.problems).toEqual([]);
});

test('a channel that is added twice says so in the language of the reader', async () => {
  await page.goto(stage.url);
  await page.evaluate(() => localStorage.setItem('reborn.language', 'de'));
  await page.goto(`${stage.url}/settings/channels`);
  await page.getByRole('button', { name: 'Kanal hinzufügen' }).click();
  const form = page.getByRole('dialog');
  await form.getByLabel('Plattform').selectOption('slack');
  await form.getByLabel('Wie Nachrichten ankommen').selectOption('webhook');
  await form.getByLabel('Bot-Token').fill(APP.token);
  await form.getByLabel('Signing Secret').fill(APP.signingSecret);
  await form.getByRole('button', { name: 'Hinzufügen', exact: true }).click();
  await form.getByRole('alert').getByText('Dieses Konto ist schon hinzugefügt.').waitFor();
  await page.evaluate(() => localStorage.removeItem('reborn.language'));
});

test('the list shows the last error of a channel, and the messages that wait, failed or were refused', async () => {
  const id = newId();
  await stage.home.query(MAILBOX, [id]);
  await stage.home.query(INBOX, [id]);
  await page.goto(`${stage.url}/settings/channels`);
  const row = channels().filter({ hasText: 'agent@example.com' });
  await row.getByText('Mail, by IMAP').waitFor();
  await row.getByText('not connected').waitFor();
  await row.getByText('imap.example.com refuses the password.').waitFor();
  await row.getByText('2 messages wait, 1 message failed, 3 messages refused').waitFor();
  await checkLooks(page, 'channels');
  expect(page.problems).toEqual([]);
});

test('an operator chooses which assistant answers in a channel, of those for everyone', async () => {
  for (const asked of [{ name: 'desk', for: 'everyone' }, { name: 'private' }])
    await stage.service.request('/api/assistants', { method: 'POST', body: JSON.stringify(asked) });
  const id = newId();
  await stage.home.query(QUIET_MAILBOX, [id]);
  await page.goto(`${stage.url}/settings/channels`);
  const choice = page.getByLabel('Assistant of desk@example.com');
  await choice.waitFor();
  expect(await choice.getByRole('option').allInnerTexts()).toEqual(['Usual agent', 'desk']);
  await choice.selectOption('desk');
  const stored = () => stage.home.query('select assistant from chat_accounts where id = $1', [id]);
  await expect.poll(stored).toEqual([{ assistant: 'desk' }]);
  await choice.selectOption({ label: 'Usual agent' });
  await expect.poll(stored).toEqual([{ assistant: null }]);
});

test('a member finds no such page', async () => {
  const member = await addUser(stage.service, 'Ann');
  const other = await openChromium();
  try {
    const theirs = await other.signIn(stage.url, { token: member.token });
    expect(await theirs.getByRole('link', { name: 'Channels' }).count()).toBe(0);
    await theirs.goto(`${stage.url}/settings/channels`);
    await theirs.getByRole('heading', { level: 1, name: 'No such page' }).waitFor();
  } finally {
    await other.close();
  }
});

const QUIET_MAILBOX = `
  insert into chat_accounts (id, channel, remote_id, name, mode, groups)
  values ($1, 'mail', 'desk@example.com', 'desk@example.com', 'polling', false)`;

/** It has no credentials, so the service does not poll it. */
const MAILBOX = `
  insert into chat_accounts (id, channel, remote_id, name, mode, groups, last_error, failed_at)
  values ($1, 'mail', 'agent@example.com', 'agent@example.com', 'polling', false,
    'imap.example.com refuses the password.', now())`;

const INBOX = `
  insert into chat_inbox (id, account_id, remote_id, lane, position, state, error, due_at, ended_at)
  select gen_random_uuid(), $1, n, n, n,
    case when n <= 2 then 'new' when n = 3 then 'failed' else 'done' end,
    case when n > 2 then 'The sender is not proven.' end,
    now() + interval '5 minutes',
    case when n > 2 then now() end
  from generate_series(1, 6) as n`;
