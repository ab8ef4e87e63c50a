import { afterAll, beforeAll, expect, test } from 'vitest';
import { startMcpOAuthServer } from '../support/mcp-oauth-server.ts';
import { startMcpServer } from '../support/mcp-server.ts';
import { namesLeadTo } from '../support/names-lead-to.ts';
import { findViolations, takePicture } from './check-page.ts';
import { openChromium } from './open-chromium.ts';
import { startStage } from './stage.ts';

const READ = {
  name: 'search',
  description: 'Finds pages.',
  inputSchema: { type: 'object' },
  annotations: { readOnlyHint: true },
};
const WRITE = { name: 'publish', description: 'Publishes a page.', inputSchema: { type: 'object' } };

let stage: Awaited<ReturnType<typeof startStage>>;
let docs: Awaited<ReturnType<typeof startMcpServer>>;
let post: Awaited<ReturnType<typeof startMcpOAuthServer>>;
/** Stands in for a well-known server. */
let linear: Awaited<ReturnType<typeof startMcpOAuthServer>>;

beforeAll(async () => {
  docs = await startMcpServer({
    initialize: () => ({
      protocolVersion: '2025-11-25',
      capabilities: { tools: {}, prompts: {}, resources: {} },
      serverInfo: { name: 'docs', version: '1' },
    }),
    'tools/list': () => ({ tools: [READ, WRITE] }),
    'prompts/list': () => ({
      prompts: [
        {
          name: 'review',
          description: 'Reviews a page.',
          arguments: [{ name: 'page', description: 'Which page.', required: true }, { name: 'tone' }],
        },
      ],
    }),
    'prompts/get': ({ params }) => ({
      messages: [{ role: 'user', content: { type: 'text', text: `Review ${JSON.stringify(params?.['arguments'])}.` } }],
    }),
    'resources/list': () => ({ resources: [{ uri: 'file:///notes.md', name: 'Notes' }] }),
    'resources/templates/list': () => ({ resourceTemplates: [] }),
  });
  linear = await startMcpOAuthServer();
  linear.callItself('https://mcp.linear.app');
  const network = namesLeadTo({ 'api.githubcopilot.com': docs.port, 'mcp.linear.app': linear.port });
  stage = await startStage({}, { network });
  post = await startMcpOAuthServer({ answers: { 'tools/list': () => ({ tools: [READ] }) } });
  for (const [name, url] of [
    ['docs', docs.url],
    ['post', post.url],
  ]) {
    const body = JSON.stringify({ name, url, for: 'everyone', private_network: true, trust_annotations: true });
    await stage.service.request('/api/mcp', { method: 'POST', body });
  }
  docs.answers['tools/list'] = () => ({ tools: [READ, { ...WRITE, description: 'Publishes a page everywhere.' }] });
  await stage.service.request('/api/mcp/docs/refresh?for=everyone', { method: 'POST' });
});

afterAll(async () => {
  await stage.close();
  docs.close();
  post.close();
  linear.close();
});

test('servers are listed, signed in to and reviewed in the browser', async () => {
  const browser = await openChromium({ theme: 'light', width: 1280 });
  try {
    const page = await browser.signIn(stage.url, { path: '/connectors/tools' });
    await page.getByRole('main').getByRole('link', { name: 'Connectors' }).click();
    await page.getByText('1 to review').waitFor();
    await page.getByText('needs your sign-in').waitFor();
    await page.getByRole('button', { name: /docs/ }).click();
    await page.getByText('Before: Publishes a page.').waitFor();
    await page.getByText('Now: Publishes a page everywhere.').waitFor();
    await page.getByRole('button', { name: 'Accept' }).click();
    await page.getByText('New and changed tools').waitFor({ state: 'detached' });
    await page.getByLabel('Policy of docs__publish for all users').selectOption('Off');
    await expect
      .poll(async () => (await stage.service.request('/api/tool-policies')).json())
      .toEqual({ policies: [{ tool: 'docs__publish', level: 'never', after: 'clean' }] });
    await page.getByRole('button', { name: 'Close' }).click();

    await page.getByRole('button', { name: /post/ }).click();
    await page.getByRole('button', { name: 'Sign in to post' }).first().click();
    await page.waitForURL(`${stage.url}/connectors`);
    await page.getByText('ready').nth(1).waitFor();
    expect(page.problems).toEqual([]);
  } finally {
    await browser.close();
  }
});

test('a server is added with headers of its own', async () => {
  const browser = await openChromium({ theme: 'light', width: 390, touch: true });
  try {
    const page = await browser.signIn(stage.url, { path: '/connectors' });
    await page.getByRole('button', { name: 'Add a server' }).click();
    await page.getByLabel('Name', { exact: true }).fill('team');
    await page.getByLabel('Address').fill(docs.url);
    await page.getByLabel('It is in my own network').check();
    await page.getByRole('button', { name: 'Add a header' }).click();
    await page.getByLabel('Header 1', { exact: true }).fill('X-Team');
    await page.getByLabel('Value of header 1').fill('red-7f1c');
    expect(await findViolations(page)).toEqual([]);
    await takePicture(page, 'headers');
    await page.getByRole('dialog').getByRole('button', { name: 'Add', exact: true }).click();
    await page.getByRole('dialog', { name: 'team' }).waitFor();
    expect(docs.requests.at(-1)?.headers['x-team']).toBe('red-7f1c');
    expect(page.problems).toEqual([]);
  } finally {
    await browser.close();
  }
});

test('a well-known server is found, added with its key or a sign-in, and says what its tools may do', async () => {
  const browser = await openChromium({ theme: 'light', width: 1280 });
  try {
    const page = await browser.signIn(stage.url, { path: '/connectors' });
    const search = page.getByRole('searchbox', { name: 'Search well-known servers' });
    await page.getByRole('button', { name: 'Add Linear' }).waitFor();
    await search.fill('GITHUB');
    await page.getByRole('button', { name: 'Add Linear' }).waitFor({ state: 'detached' });
    await page.getByText('with a key, not checked').waitFor();
    await page.getByRole('button', { name: 'Add GitHub' }).click();
    await page.getByLabel('Key', { exact: true }).fill('key-of-ann-9f31c7');
    await page.getByRole('dialog').getByRole('button', { name: 'Add', exact: true }).click();
    const details = page.getByRole('dialog', { name: 'github' });
    await details.getByText('The server says that 1 tool only reads. Its calls need your approval.').waitFor();
    await details.getByText('1 tool can change or delete something. Its calls need your approval.').waitFor();
    expect(docs.requests.at(-1)?.headers.authorization).toBe('Bearer key-of-ann-9f31c7');
    await takePicture(page, 'known-server');
    await page.getByRole('button', { name: 'Close' }).click();
    const row = page.getByRole('list', { name: 'MCP servers' }).getByRole('listitem').filter({ hasText: 'github' });
    await row.getByText('The server says that 1 tool only reads.').waitFor();

    await search.fill('');
    await page.route('https://mcp.linear.app/**', (route) => route.fulfill({ body: 'Sign in to Linear.' }));
    await page.getByRole('button', { name: 'Add Linear' }).click();
    await page.waitForURL(/^https:\/\/mcp\.linear\.app\/auth\?/);
    expect(linear.counts.registered).toBe(1);
    expect(page.problems).toEqual([]);

    // The sign-in comes back to the page with the server open.
    await page.goto(`${stage.url}/connectors#me:linear`);
    await page.getByRole('button', { name: 'Sign in to linear' }).waitFor();
  } finally {
    await browser.close();
  }
});

test('the composer offers the prompts of a server with a form, and its resources', async () => {
  const browser = await openChromium({ theme: 'light', width: 1280 });
  try {
    const page = await browser.signIn(stage.url);
    const message = page.getByRole('textbox', { name: 'Message' });
    await message.pressSequentially('/doc');
    await page.getByRole('option', { name: /docs:review/ }).click();
    await page.getByRole('textbox', { name: 'page', exact: true }).fill('home');
    await takePicture(page, 'prompt-form');
    expect(await findViolations(page)).toEqual([]);
    await page.getByRole('button', { name: 'Continue' }).click();
    await expect.poll(() => message.inputValue()).toBe('Review {"page":"home"}.');
    await message.fill('');
    await message.pressSequentially('Read @docs');
    await takePicture(page, 'resources');
    await page.getByRole('option', { name: /file:\/\/\/notes.md/ }).click();
    await expect.poll(() => message.inputValue()).toBe('Read the resource "file:///notes.md" of docs ');
    expect(page.problems).toEqual([]);
  } finally {
    await browser.close();
  }
});

test.each([
  ['light', 1280],
  ['dark', 768],
  ['dark', 390],
] as const)(
  'the page and its dialogs have no accessibility violation in the %s theme at %s pixels',
  async (theme, width) => {
    const browser = await openChromium({ theme, width, touch: width < 500 });
    try {
      const page = await browser.signIn(stage.url, { path: '/connectors' });
      await page.getByText('for everyone').first().waitFor();
      const found: string[] = [];
      const check = async (name: string) => {
        found.push(...(await findViolations(page)).map((violation) => `${name}: ${violation}`));
        await takePicture(page, `${name}-${theme}-${width}`);
      };
      await check('list');
      await page.getByRole('button', { name: /docs/ }).click();
      await page.getByText('Finds pages.').first().waitFor();
      await check('server');
      await page.getByRole('button', { name: 'Close' }).click();
      await page.getByRole('button', { name: 'Add a server' }).click();
      await page.getByLabel('Address').waitFor();
      await page.getByLabel('It is in my own network').waitFor();
      await check('add');
      expect(found).toEqual([]);
    } finally {
      await browser.close();
    }
  },
);
