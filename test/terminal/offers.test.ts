import { afterAll, afterEach, beforeAll, expect, onTestFinished, test } from 'vitest';
import { startMcpServer } from '../support/mcp-server.ts';
import { waitFor } from '../support/wait-for.ts';
import { startChatService } from './chat-service.ts';
import { openTerminal } from './tmux.ts';

let chat: Awaited<ReturnType<typeof startChatService>>;
let terminal: Awaited<ReturnType<typeof openTerminal>>;

beforeAll(async () => {
  chat = await startChatService();
  const store = async (route: string, method: string, body: object) => {
    const { status } = await chat.service.request(route, { method, body: JSON.stringify(body) });
    expect(status).toBeLessThan(300);
  };
  await store('/api/templates/review', 'PUT', { text: 'say Reviewed {{file}} for {{reader}}' });
  await store('/api/memory/people/ann', 'PUT', { text: 'Ann likes tea.' });
  await store('/api/skills', 'POST', { text: '---\nname: invoices\ndescription: Writes invoices.\n---\nDo it.' });
});
afterAll(() => chat.close());
afterEach(() => terminal.close());

async function open() {
  terminal = await openTerminal({ env: chat.env });
  await terminal.sees('live');
  await terminal.press('C-u'); // the draft of the chat before
  return terminal;
}

const expectReceived = (text: string) =>
  waitFor(`the message ${JSON.stringify(text)}`, async () => chat.received().includes(text));

test('a slash offers the templates of the person, and asks for each variable', async () => {
  const { type, press, sees } = await open();
  await type('/rev');
  await sees(/review +say Reviewed \{\{file\}\}/);
  await press('Enter');
  await sees('file (Enter continues');
  await type('notes.md');
  await press('Enter');
  await sees('reader (Enter continues');
  await type('Ann');
  await press('Enter');
  await sees('❯ say Reviewed notes.md for Ann');
  await press('Enter');
  await expectReceived('say Reviewed notes.md for Ann');
});

test('Tab completes the name of a template, values can follow it, and Esc leaves the others open', async () => {
  const { type, press, sees } = await open();
  await type('/rev');
  await sees(/review +say Reviewed/);
  await press('Tab');
  await type('file=a.md');
  await sees('❯ /review file=a.md');
  await press('Enter');
  await sees('reader (Enter continues');
  await press('Escape');
  await sees('❯ say Reviewed a.md for {{reader}}');
});

test('an @ names notes and skills', async () => {
  const { type, press, sees } = await open();
  await type('say @ann');
  await sees(/people\/ann +note: Ann likes tea\./);
  await press('Tab');
  await type('and @invo');
  await sees(/invoices +skill: Writes invoices\./);
  await press('Enter');
  await sees('❯ say my note "people/ann" and the skill "invoices"');
  await press('Enter');
  await expectReceived('say my note "people/ann" and the skill "invoices"');
});

test('prompts and resources of an MCP server are offered: a prompt asks for its arguments, a resource is sent with the message', async () => {
  const server = await startMcpServer({
    initialize: () => ({
      protocolVersion: '2025-11-25',
      capabilities: { tools: {}, prompts: {}, resources: {} },
      serverInfo: { name: 's', version: '1' },
    }),
    'prompts/list': () => ({
      prompts: [{ name: 'summary', description: 'Sums a page up.', arguments: [{ name: 'page', required: true }] }],
    }),
    'prompts/get': ({ params }) => {
      const given = params?.['arguments'] as { page: string } | undefined;
      return { messages: [{ role: 'user', content: { type: 'text', text: `say the page ${given?.page} in short` } }] };
    },
    'resources/list': () => ({ resources: [{ uri: 'page://42', name: 'page', description: 'The page 42.' }] }),
    'resources/templates/list': () => ({ resourceTemplates: [] }),
    'resources/read': () => ({ contents: [{ uri: 'page://42', text: 'Forty-two is on it.' }] }),
  });
  onTestFinished(() => server.close());
  const body = JSON.stringify({
    name: 'manual',
    url: server.url,
    for: 'everyone',
    private_network: true,
    trust_annotations: true,
  });
  expect((await chat.service.request('/api/mcp', { method: 'POST', body })).status).toBe(201);

  const { type, press, sees } = await open();
  await type('/manual:su');
  await sees(/manual:summary +Sums a page up\./);
  await press('Enter');
  await sees('page (Enter continues');
  await type('7');
  await press('Enter');
  await sees('❯ say the page 7 in short');
  await press('Enter');
  await expectReceived('say the page 7 in short');

  await type('say seen @manual');
  await sees(/manual:page:\/\/42 +resource: The page 42\./);
  await press('Tab');
  await sees('❯ say seen @manual:page://42');
  await press('Enter');
  await waitFor('the resource', async () => JSON.stringify(chat.model.seen.at(-1)).includes('Forty-two is on it.'));
});

test('the commands are offered while the service is away', async () => {
  const { type, sees } = await open();
  chat.line.break();
  onTestFinished(() => chat.line.repair());
  await sees('not connected');
  await type('/us');
  await sees('Show what the last days have cost');
});
