import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { startChatService } from './chat-service.ts';
import { openTerminal } from './tmux.ts';

let chat: Awaited<ReturnType<typeof startChatService>>;
let terminal: Awaited<ReturnType<typeof openTerminal>>;
let answers = 0;

beforeAll(async () => {
  chat = await startChatService({
    answer: (message) => (message === 'count' ? { pieces: [`Number ${++answers}.`] } : undefined),
  });
});
afterAll(() => chat.close());
afterEach(() => terminal.close());

async function open() {
  terminal = await openTerminal({ env: chat.env });
  await terminal.sees('live');
  await terminal.press('C-u'); // the draft of the chat before
  const say = async (line: string) => {
    await terminal.type(line);
    await terminal.press('Enter');
  };
  return { ...terminal, say };
}

test('/edit replaces a message in place, and Left and Right go from one version to another', async () => {
  const { say, type, press, sees, loses } = await open();
  await say('say first');
  await sees(/Reborn\nfirst/);
  await say('say later');
  await sees(/Reborn\nlater/);
  await say('/edit ');
  await sees('Edit which message?');
  await press('Down', 'Enter');
  await sees('❯ say first');
  await sees('Enter replaces the message, Esc keeps it');
  await type(' of all');
  await press('Enter');
  const shown = await sees(/You {2}2\/2\nsay first of all\n\nReborn\nfirst of all/);
  expect(shown).not.toContain('later');
  await loses('Enter replaces the message');

  await press('Tab');
  await sees('You  < 2/2 >');
  await press('Left');
  await sees(/You {2}< 1\/2 >\nsay first\n[^]*Reborn\nfirst\n[^]*say later\n\nReborn\nlater/);
  await press('Right');
  await sees(/You {2}< 2\/2 >\nsay first of all/);
});

test('/regenerate asks for another answer, and both stay', async () => {
  const { say, press, sees } = await open();
  await say('count');
  await sees(/Reborn\nNumber 1\./);
  await say('/regenerate ');
  await sees(/You\ncount\n\nReborn {2}2\/2\nNumber 2\./);
  await say('/version ');
  await sees('Reborn  < 2/2 >');
  await press('Left');
  await sees(/Reborn {2}< 1\/2 >\nNumber 1\./);
  await sees(/ live /);
});

test('Esc keeps the message that is edited, and gives the draft back', async () => {
  const { say, type, press, sees, loses } = await open();
  await say('/edit ');
  await sees('No message to edit yet.');
  await say('say only');
  await sees(/Reborn\nonly/);
  await say('/edit ');
  await sees('❯ say only');
  await type(' changed');
  await press('Escape');
  await loses('changed');
  await loses('Enter replaces the message');
  await say('/version ');
  await sees('No message has other versions.');
});

test('a message is not replaced while its thread is busy, and the text stays', async () => {
  const { say, type, press, sees } = await open();
  await say('count 40 every 100');
  await sees('0 1 2');
  await say('/edit ');
  await sees('❯ count 40 every 100');
  await type('0');
  await press('Enter');
  await sees(/^! /m);
  await sees('❯ count 40 every 1000');
});
