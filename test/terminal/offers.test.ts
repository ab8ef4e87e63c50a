import { afterAll, afterEach, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { waitFor } from '../support/wait-for.ts';
import { startChatService } from './chat-service.ts';
import { openTerminal } from './tmux.ts';

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

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

test('the commands are offered while the service is away', async () => {
  const { type, sees } = await open();
  chat.line.break();
  onTestFinished(() => chat.line.repair());
  await sees('not connected');
  await type('/us');
  await sees('Show what the last days have cost');
});
