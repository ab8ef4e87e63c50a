import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { buildTool } from '@reborn-agent/tool/build-tool';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { addUser } from '../support/accounts.ts';
import { WEBHOOK_SECRET } from '../support/service.ts';
import { startStandIn } from '../support/stand-in.ts';
import { checkLooks, findViolationsInBothThemes } from './check-page.ts';
import { createMailTool } from './mail-tool.ts';
import { type OpenPage, openChromium } from './open-chromium.ts';
import { startStage } from './stage.ts';
import { ask } from './talk.ts';

const SCRIPTED = { id: 'scripted', context_length: 32_000, architecture: { input_modalities: ['text', 'image'] } };

const mail = createMailTool();
const hasNoSecret = async ({ userId }: { readonly userId: string }) => userId.startsWith('webhook:');

let stage: Awaited<ReturnType<typeof startStage>>;
let browser: Awaited<ReturnType<typeof openChromium>>;
let provider: Awaited<ReturnType<typeof startStandIn>>;
let page: OpenPage;
let folder: string;
let wasm: string;

beforeAll(async () => {
  provider = await startStandIn(({ host, url }) => {
    const listed = url.pathname.endsWith('/models') && host !== '127.0.0.1:9';
    return listed
      ? { json: { data: [SCRIPTED] } }
      : { json: { access_token: 'access-token-of-ann', token_type: 'Bearer' } };
  });
  const parts = { network: provider.network, tools: [{ ...mail.tool, needsSignIn: hasNoSecret }] };
  [stage, browser] = await Promise.all([startStage({ HTTP_WEBHOOK_SECRET: WEBHOOK_SECRET }, parts), openChromium()]);
  folder = await mkdtemp(path.join(tmpdir(), 'reborn-browser-'));
  ({ path: wasm } = await buildTool('test/fixtures/tools/probe'));
  await browser.enter(stage.url);
  page = await browser.open();
}, 120_000);

afterAll(async () => {
  await browser.close();
  await stage.close();
  await provider.close();
  await rm(folder, { recursive: true });
});

const visit = (route: string) => page.goto(stage.url + route);
const rowsOf = (label: string) => page.getByRole('list', { name: label }).getByRole('listitem');
const dialog = (name: string | RegExp) => page.getByRole('dialog', { name });

/** The last of the dialogs that are open asks whether it is meant. */
const confirm = (action: string) =>
  page.getByRole('dialog').last().getByRole('button', { name: action, exact: true }).click();

test('a skill is written, read as a text, edited, found, and removed', async () => {
  await visit('/skills');
  await page.getByText('No skills yet').waitFor();
  await page.getByRole('button', { name: 'Add a skill' }).click();
  await page.getByLabel('SKILL.md').fill(skillText('letters', 'How we write letters', '# Be **brief**'));
  await page.getByRole('button', { name: 'Add', exact: true }).click();
  await rowsOf('Skills').filter({ hasText: 'letters' }).getByText('yours').waitFor();

  await rowsOf('Skills').getByRole('button').click();
  await dialog('letters').getByRole('heading', { name: 'Be brief' }).waitFor();
  await dialog('letters').getByRole('button', { name: 'Edit' }).click();
  await page.getByLabel('SKILL.md').fill(skillText('letters', 'How we write letters', '# Be kind'));
  await page.getByRole('button', { name: 'Save changes' }).click();
  await dialog('letters').getByRole('heading', { name: 'Be kind' }).waitFor();
  await page.keyboard.press('Escape');

  await page.getByLabel('Search the skills').fill('nothing like it');
  await page.getByText('No skill fits').waitFor();
  await page.getByLabel('Search the skills').fill('LETTERS');
  await rowsOf('Skills').getByRole('button').click();
  await page.getByRole('button', { name: 'Remove the skill' }).click();
  await confirm('Remove');
  await page.getByLabel('Search the skills').fill('');
  await page.getByText('No skills yet').waitFor();
  expect(page.problems).toEqual([]);
});

test('a skill comes from a folder for everyone, and one of the same name only takes its place on purpose', async () => {
  const place = path.join(folder, 'minutes');
  await mkdir(path.join(place, 'examples'), { recursive: true });
  await writeFile(path.join(place, 'SKILL.md'), skillText('minutes', 'How we keep minutes', 'See the example.'));
  await writeFile(path.join(place, 'examples/may.txt'), 'Present: Ann, Bob');
  await writeFile(path.join(place, '.hidden'), 'not this');
  await writeFile(path.join(place, 'logo.bin'), Buffer.from([0, 255, 254]));
  const add = async () => {
    await page.getByRole('button', { name: 'Add a skill' }).click();
    await page.getByLabel('Where it comes from').selectOption('folder');
    await page.getByLabel('Folder', { exact: true }).setInputFiles(place);
    await page.getByLabel('Whose agent reads it').selectOption('everyone');
    await page.getByRole('button', { name: 'Add', exact: true }).click();
  };
  await visit('/skills');
  await add();
  await rowsOf('Skills').filter({ hasText: 'for everyone' }).getByRole('button').click();
  await expect
    .poll(() => dialog('minutes').locator('summary').allInnerTexts())
    .toEqual(['SKILL.md', 'examples/may.txt']);
  await dialog('minutes').getByText('examples/may.txt').click();
  await dialog('minutes').getByText('Present: Ann, Bob').waitFor();
  await page.keyboard.press('Escape');

  await add();
  await page.getByRole('alert').getByText('There is a skill "minutes" already').waitFor();
  await page.getByRole('button', { name: 'Replace it' }).click();
  await dialog('Add a skill').waitFor({ state: 'detached' });
  expect(await rowsOf('Skills').count()).toBe(1);
});

test('a note is written, edited, found by its words and deleted', async () => {
  await visit('/memory');
  await page.getByRole('button', { name: 'Write a note' }).click();
  await page.getByLabel('Path').fill('people/ann');
  await page.getByLabel('Text', { exact: true }).fill('Ann likes tulips.');
  await page.getByRole('button', { name: 'Save note' }).click();
  await rowsOf('Notes').filter({ hasText: 'tulips' }).waitFor();

  await page.getByRole('button', { name: 'Write a note' }).click();
  await page.getByLabel('Path').fill('people/ann');
  await page.getByLabel('Text', { exact: true }).fill('Something else.');
  await page.getByRole('button', { name: 'Save note' }).click();
  const text = page.getByLabel('Text of people/ann');
  await expect.poll(() => text.inputValue()).toBe('Ann likes tulips.'); // it is opened, not written over
  await text.fill('Ann likes orchids.');
  await page.getByRole('button', { name: 'Save changes' }).click();
  await rowsOf('Notes').filter({ hasText: 'orchids' }).waitFor();

  await page.getByLabel('Search the notes').fill('bicycles');
  await page.getByText('No note fits').waitFor();
  await page.getByLabel('Search the notes').fill('orchids');
  await rowsOf('Notes').getByRole('button').click();
  await page.getByRole('button', { name: 'Delete the note' }).click();
  await confirm('Delete');
  await page.getByLabel('Search the notes').fill('');
  await page.getByText('No notes yet').waitFor();
});

test('notes that the agent wrote after text by others, and old ones, are kept by the person', async () => {
  const write = (note: string) =>
    stage.service.request(`/api/memory/${note}`, { method: 'PUT', body: '{"text":"Ann likes boats."}' });
  for (const note of ['boats', 'old']) await write(note);
  await stage.home.query(`update notes set origin = case path when 'old' then 'unknown' else 'foreign' end`);
  await visit('/memory');
  const banner = page.getByRole('region', { name: 'Notes of unknown origin' });
  await banner.getByText(/^1 note is older/).waitFor();
  expect(await findViolationsInBothThemes(page)).toEqual([]);
  await banner.getByRole('button', { name: 'These are mine' }).click();
  await banner.waitFor({ state: 'detached' });

  await rowsOf('Notes').filter({ hasText: 'after reading text by others' }).getByRole('button').click();
  await dialog('boats').getByText('The agent wrote this after reading text by others').waitFor();
  expect(await findViolationsInBothThemes(page)).toEqual([]);
  await dialog('boats').getByRole('button', { name: 'Keep as mine' }).click();
  await dialog('boats').waitFor({ state: 'detached' });
  await page.getByText('after reading text by others').waitFor({ state: 'detached' });
  expect(await stage.home.query('select distinct origin from notes')).toEqual([{ origin: 'person' }]);
  for (const note of ['boats', 'old'])
    await stage.service.request(`/api/memory/${note}`, { method: 'DELETE', body: '{}' });
});

test('jobs come in by themselves, are filtered, and tell their details', async () => {
  await visit('/jobs');
  await page.getByText('No jobs').waitFor();
  const job = await stage.service.webhook.submit({
    message: 'say filed',
    conversation_id: 'invoice-7',
    metadata: { customer: 'Berg' },
  });
  await rowsOf('Jobs').filter({ hasText: 'invoice-7' }).getByText('completed').waitFor();
  await page.getByLabel('Show', { exact: true }).selectOption('queued');
  await page.getByText('No jobs').waitFor();
  await page.getByLabel('Show', { exact: true }).selectOption('completed');
  await rowsOf('Jobs').getByRole('button').click();
  for (const words of [job, 'webhook:ann', '"Berg"']) await dialog('Job invoice-7').getByText(words).waitFor();
  await page.keyboard.press('Escape');
  await dialog('Job invoice-7').waitFor({ state: 'detached' });
});

test('a user is added, gets a token that is shown once and lets them in, is limited, and is removed', async () => {
  await visit('/operator/users');
  await page.getByRole('button', { name: 'Add a user' }).click();
  await page.getByLabel('Name', { exact: true }).fill('Dora');
  await page.getByLabel('Email').fill('dora@example.com');
  await page.getByRole('button', { name: 'Add', exact: true }).click();
  await rowsOf('Users').filter({ hasText: 'dora@example.com' }).getByRole('button').click();
  await dialog('Dora').getByText('No tokens yet').waitFor();
  await page.getByLabel('Name of a new token').fill('laptop');
  await page.getByRole('button', { name: 'Make a token' }).click();
  await dialog('Dora').getByText('It is shown this once').waitFor();
  const token = (await dialog('Dora').locator('.font-mono').innerText()).trim();
  const whoIs = () => fetch(`${stage.url}/api/me`, { headers: { authorization: `Bearer ${token}` } });
  expect(await (await whoIs()).json()).toMatchObject({ name: 'Dora', role: 'member' });

  await page.keyboard.press('Escape');
  await rowsOf('Users').filter({ hasText: 'Dora' }).getByRole('button').click();
  await dialog('Dora').getByText('laptop').waitFor();
  expect(await dialog('Dora').innerText()).not.toContain(token);
  await page.getByLabel('Tokens', { exact: true }).fill('50000');
  await page.getByRole('button', { name: 'Save limits' }).click();
  await dialog('Dora').getByText('The limits apply from the next turn').waitFor();
  await page.keyboard.press('Escape');
  await rowsOf('Users').filter({ hasText: 'Dora' }).getByRole('button').click();
  expect(await page.getByLabel('Tokens', { exact: true }).inputValue()).toBe('50000');
  await page.getByRole('button', { name: 'Remove the user' }).click();
  await confirm('Remove');
  await rowsOf('Users').filter({ hasText: 'Dora' }).waitFor({ state: 'detached' });
  await expect.poll(async () => (await whoIs()).status).toBe(401);
});

test('a person downloads everything about themselves from the account menu', async () => {
  await visit('/operator/users');
  const download = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Theme and account of' }).click();
  await page.getByRole('menuitem', { name: 'Download my data' }).click();
  expect((await download).suggestedFilename()).toMatch(/^reborn-.*\.jsonl$/);
});

test('a user is erased once their name is typed, and the certificate shows what was deleted', async () => {
  await visit('/operator/users');
  await page.getByRole('button', { name: 'Add a user' }).click();
  await page.getByLabel('Name', { exact: true }).fill('Erika');
  await page.getByRole('button', { name: 'Add', exact: true }).click();
  await rowsOf('Users').filter({ hasText: 'Erika' }).getByRole('button').click();
  await page.getByRole('button', { name: 'Erase the user' }).click();
  const erase = page.getByRole('button', { name: 'Erase everything' });
  await page.getByLabel('Type Erika to confirm').fill('Erik');
  expect(await erase.isDisabled()).toBe(true);
  await page.getByLabel('Type Erika to confirm').fill('Erika');
  await erase.click();
  await dialog('Erika was erased').getByText('users').waitFor();
  await page.keyboard.press('Escape');
  await rowsOf('Users').filter({ hasText: 'Erika' }).waitFor({ state: 'detached' });
});

test('a server and its model are added and tested, chosen in a thread, made the default, and removed', async () => {
  await visit('/operator/models');
  await page.getByRole('button', { name: 'Test it' }).first().click();
  await page.getByText(/It answered: ok/).waitFor();
  const providers = page.getByRole('list', { name: 'Providers' }).getByRole('listitem');
  await providers.filter({ hasText: 'anthropic' }).getByText('or set ANTHROPIC_API_KEY').waitFor();
  const addServer = async (name: string, address: string) => {
    await page.getByLabel('Name', { exact: true }).fill(name);
    await page.getByLabel('Base URL', { exact: true }).fill(address);
    await page.getByLabel('Key (optional)').fill('sk-in-the-browser');
    await page.getByRole('button', { name: 'Add server' }).click();
    await providers.filter({ hasText: name }).getByText('key stored').waitFor();
  };
  await page.getByText('Add a server').click();
  await addServer('lab', stage.model.url);
  await addServer('away', 'http://127.0.0.1:9/v1');
  const away = providers.filter({ hasText: 'away' });
  await away.getByRole('button', { name: 'Test' }).click();
  await away.getByText('is not a list of models').waitFor();
  expect(await page.content()).not.toContain('sk-in-the-browser');

  const add = async (from: string, alias: string) => {
    await page.getByLabel('Provider', { exact: true }).selectOption(from);
    await page.getByLabel('Model ID').fill('scripted');
    await page.getByLabel('Alias (optional)').fill(alias);
    await page.getByRole('button', { name: 'Add', exact: true }).click();
  };
  await page.getByText('Add a model').click();
  await page.getByLabel('Provider', { exact: true }).selectOption('lab');
  await page.getByText('1 model to choose from').waitFor();
  await add('lab', 'fast');
  const fast = page.getByRole('main').getByRole('listitem').filter({ hasText: 'fast' });
  await fast.getByRole('button', { name: 'Test it' }).click();
  await fast.getByText(/It answered: ok/).waitFor();
  await add('away', 'gone');
  const gone = page.getByRole('main').getByRole('listitem').filter({ hasText: 'gone' });
  await gone.getByRole('button', { name: 'Test it' }).click();
  await gone.locator('[role=status] .text-failed').waitFor();

  await visit('/');
  const picker = page.getByRole('button', { name: /^Model: / });
  await picker.click();
  await page.getByRole('combobox', { name: 'Search models' }).fill('fas');
  await page.getByRole('option', { name: /fast.*32k context.*price unknown.*images/ }).waitFor();
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'Model: fast' }).waitFor();
  await ask(page, 'say hello from fast');
  await page.locator('header').getByRole('button', { name: 'Model: fast' }).waitFor();
  await page.reload();
  const header = page.locator('header').getByRole('button', { name: 'Model: fast' });
  await header.click();
  await page.getByRole('button', { name: 'Use fast for new threads' }).click();
  await page.getByRole('button', { name: 'New threads use this model' }).waitFor();
  await visit('/');
  await page.getByRole('button', { name: 'Model: fast' }).waitFor();

  await visit('/operator/models');
  await page.getByLabel('Default model').selectOption('fast');
  await page.getByRole('button', { name: 'Remove fast' }).click();
  await fast.waitFor({ state: 'detached' });
  await visit('/');
  await page.getByRole('button', { name: 'Model: scripted' }).waitFor();
});

test('before an installation, a person reads what the tool may do; it asks for its secret in the thread, and then runs', async () => {
  const capabilities = path.join(folder, 'capabilities.json');
  await writeFile(capabilities, JSON.stringify(CAPABILITIES));
  await visit('/tools');
  await page.getByRole('button', { name: 'Install a tool' }).click();
  const installing = dialog('Install a tool');
  await page.getByLabel('Component').setInputFiles(wasm);
  await page.getByLabel('Capabilities').setInputFiles(capabilities);
  await page.getByLabel('Only reads').check();
  await installing.getByRole('button', { name: 'See what it may do' }).click();
  await installing.getByText('allow more than GET and HEAD').waitFor();
  await page.getByLabel('Only reads').uncheck();
  await installing.getByRole('button', { name: 'See what it may do' }).click();
  await installing
    .getByText('may GET and POST api.example.com/v1/ (may change something, or sends a secret)')
    .waitFor();
  await installing.getByText('makes at most 60 requests a minute and 1,000 an hour').waitFor();
  expect(await installing.getByText('sends the secret probe_key as a bearer token').count()).toBe(1);
  const installed = await (await stage.service.request('/api/tools')).text();
  expect(installed).not.toContain('Tries out its host'); // nothing without consent
  await installing.getByRole('button', { name: 'Allow this and install' }).click();
  await rowsOf('Tools').filter({ hasText: 'probe' }).getByText('needs a secret of yours').waitFor();

  await visit('/');
  await ask(page, 'use probe {"secrets": ["probe_key"]}');
  const card = page.getByRole('region', { name: /^Waits for you: .*probe/ });
  await card.getByRole('heading', { name: 'probe needs a secret of yours before it can run.' }).waitFor();
  await card.getByText('Look under Settings, Keys.').waitFor();
  await card.getByLabel('Key of the probe').fill('very-secret-value');
  const approve = card.getByRole('button', { name: 'Approve once' }); // it may POST, so it asks
  await page.route(
    '**/api/gates/*',
    async (route) => {
      const response = await route.fetch();
      await approve.waitFor(); // the next gate opens before the browser knows that its answer was accepted
      await route.fulfill({ response });
    },
    { times: 1 },
  );
  const accepted = page.waitForResponse('**/api/gates/*');
  await card.getByRole('button', { name: 'Save and continue' }).click();
  await accepted;
  await approve.click();
  await page
    .getByRole('article')
    .getByText(/"secrets":\[true\]/)
    .waitFor();
  expect(await page.content()).not.toContain('very-secret-value');
  expect(JSON.stringify(stage.model.seen)).not.toContain('very-secret-value');

  await visit('/tools');
  await rowsOf('Tools').filter({ hasText: 'probe' }).getByRole('button').click();
  await dialog('probe').getByText('It has its secret').waitFor();
  await page.getByRole('button', { name: 'Remove the tool' }).click();
  await confirm('Remove');
  await rowsOf('Tools').filter({ hasText: 'Tries out its host' }).waitFor({ state: 'detached' });
});

test('at the installation a person can say that a tool only reads, and its page says so', async () => {
  const capabilities = path.join(folder, 'reader.json');
  const allowlist = [{ host: 'api.example.com', path_prefix: '/', methods: ['GET'] }];
  await writeFile(capabilities, JSON.stringify({ http: { allowlist } }));
  await visit('/tools');
  await page.getByRole('button', { name: 'Install a tool' }).click();
  const installing = dialog('Install a tool');
  await page.getByLabel('Component').setInputFiles(wasm);
  await page.getByLabel('Capabilities').setInputFiles(capabilities);
  await page.getByLabel('Name').fill('reader');
  await page.getByLabel('Only reads').check();
  await installing.getByRole('button', { name: 'See what it may do' }).click();
  await installing.getByRole('button', { name: 'Allow this and install' }).click();
  await rowsOf('Tools').filter({ hasText: 'reader' }).getByRole('button').first().click();
  await dialog('reader').getByText('The operator said that it only reads').waitFor();
});

test('a person signs in to a tool on the page of its provider, and the thread continues', async () => {
  const send = (route: string, body: object, headers = {}) =>
    stage.service.request(route, { method: 'POST', body: JSON.stringify(body), headers });
  const upload = { name: 'calendar', wasm: (await readFile(wasm)).toString('base64') };
  await send('/api/tools', { ...upload, capabilities: JSON.stringify(OAUTH_CAPABILITIES) });
  await send('/api/tools/calendar/secret', { name: 'calendar_client', value: 'client-7', for: 'everyone' });
  let asked = new URLSearchParams();
  await page.route('https://login.example.com/**', (request) => {
    asked = new URL(request.request().url()).searchParams;
    const back = `${asked.get('redirect_uri')}?code=c0de&state=${asked.get('state')}`;
    return request.fulfill({ contentType: 'text/html', body: `<a href="${back}">Agree</a>` });
  });

  await visit('/');
  await ask(page, 'use calendar {"secrets": ["calendar_token"]}');
  await page.getByRole('button', { name: 'Sign in to the calendar' }).click();
  await page.getByRole('link', { name: 'Agree' }).waitFor();
  expect(Object.fromEntries(asked)).toMatchObject({
    client_id: 'client-7',
    scope: 'read',
    code_challenge_method: 'S256',
  });
  await page.getByRole('link', { name: 'Agree' }).click();
  await page.getByRole('button', { name: 'Continue with the stored secret' }).click();
  await page
    .getByRole('article')
    .getByText(/"secrets":\[true\]/)
    .waitFor();
  const form = new URLSearchParams(provider.asked.find(({ url }) => url.pathname === '/token')?.body);
  expect(form.get('redirect_uri')).toBe(`${stage.url}/tools/callback`);
  expect(
    createHash('sha256')
      .update(form.get('code_verifier') ?? '')
      .digest('base64url'),
  ).toBe(asked.get('code_challenge'));
  const answer = { state: asked.get('state'), code: 'c0de' };
  expect((await send('/api/tools/calendar/sign-in/finish', answer)).status).toBe(400); // it counts once

  const { url } = (await (await send('/api/tools/calendar/sign-in', {})).json()) as { url: string };
  const stolen = { state: new URL(url).searchParams.get('state'), code: 'c0de' };
  const bob = await addUser(stage.service, 'Bob');
  expect((await send('/api/tools/calendar/sign-in/finish', stolen, bob.headers)).status).toBe(400);
  await visit('/tools/callback?error=access_denied');
  await page.getByRole('alert').getByText('The provider refused the sign-in: access_denied').waitFor();
});

test('the palette leads to every page by its name, and says when nothing is called that', async () => {
  await visit('/');
  await page.getByRole('textbox', { name: 'Message' }).waitFor();
  const palette = page.getByRole('combobox', { name: 'Command or thread' });
  const names = ['Jobs', 'Memory', 'Tools', 'Skills', 'Users', 'Models', 'Usage', 'Audit', 'Health'];
  for (const name of names) {
    await page.keyboard.press('Control+k');
    await palette.fill(name);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name }).waitFor();
  }
  await page.keyboard.press('Control+k');
  await palette.fill('no page and no thread');
  await page.getByText('Nothing is called that.').waitFor();
  await page.keyboard.press('Escape');
  await palette.waitFor({ state: 'detached' });
});

// The last one, because it adds many users.
test('an operator answers what a job waits for: a pairing, then an approval; and ends the pairing', async () => {
  for (let number = 1; number <= 100; number++) await addUser(stage.service, `Colleague ${number}`);
  await addUser(stage.service, 'Ann Berg');
  await stage.service.webhook.submit({ message: 'use send_mail {"to":"lea@example.com"}', conversation_id: 'mail-1' });
  await visit('/jobs');
  const job = rowsOf('Jobs').filter({ hasText: 'mail-1' });
  await job.getByText('waits for a pairing').waitFor();
  await job.getByRole('button').click();
  await page.getByLabel('Search the users').fill('ann b');
  await page.getByLabel('Whose secrets may it use?').selectOption({ label: 'Ann Berg' });
  await checkLooks(page, 'pairing');
  await page.getByRole('button', { name: 'Pair and continue' }).click();
  await job.getByText('waits for an approval').waitFor();
  await job.getByRole('button').click();
  await dialog('Job mail-1').getByText('lea@example.com').first().waitFor();
  await page.getByRole('button', { name: 'Approve once' }).click();
  await job.getByText('completed').waitFor();
  expect(mail.sent).toHaveLength(1);

  await visit('/operator/users');
  await page.getByLabel('Search the users').fill('ann b');
  await rowsOf('Users').filter({ hasText: 'Ann Berg' }).getByRole('button').click();
  await page.getByRole('button', { name: 'End the pairing of webhook:ann' }).click();
  await page.getByText('Paired webhook users').waitFor({ state: 'detached' });
  expect(await stage.home.query('select from pairings')).toEqual([]);
});

const skillText = (name: string, about: string, text: string) =>
  `---\nname: ${name}\ndescription: ${about}\n---\n${text}\n`;

const CAPABILITIES = {
  version: '1.0.0',
  http: {
    allowlist: [{ host: 'api.example.com', path_prefix: '/v1/', methods: ['GET', 'POST'] }],
    credentials: {
      main: { secret_name: 'probe_key', location: { type: 'bearer' }, host_patterns: ['api.example.com'] },
    },
  },
  secrets: { allowed_names: ['probe_key'] },
  auth: { secret_name: 'probe_key', display_name: 'Key of the probe', instructions: 'Look under Settings, Keys.' },
};

const OAUTH_CAPABILITIES = {
  http: {
    allowlist: [{ host: 'api.example.com', path_prefix: '/v1/', methods: ['GET'] }],
    credentials: {
      main: { secret_name: 'calendar_token', location: { type: 'bearer' }, host_patterns: ['api.example.com'] },
    },
  },
  secrets: { allowed_names: ['calendar_token'] },
  setup: { required_secrets: [{ name: 'calendar_client', prompt: 'The id of your client' }] },
  auth: {
    secret_name: 'calendar_token',
    display_name: 'the calendar',
    oauth: {
      authorization_url: 'https://login.example.com/authorize',
      token_url: 'https://login.example.com/token',
      client_id_secret: 'calendar_client',
      scopes: ['read'],
    },
  },
};
