import { expect, test } from 'vitest';
import type { ChatAccount } from '#domain/chat/chat.ts';
import { readUpdate } from './read-update.ts';

const account = { remoteId: '9', name: 'reborn_bot' } as ChatAccount;
const ANN = { id: 501, is_bot: false, first_name: 'Ann' };
const EVE = { id: 666, is_bot: false, first_name: 'Eve' };
const BOT = { id: 9, is_bot: true, first_name: 'Reborn' };

function wordsOf(more: object) {
  const message = { message_id: 1, from: ANN, chat: { id: 501, type: 'private' }, ...more };
  const incoming = readUpdate({ update_id: 1, message }, account);
  return incoming?.kind === 'message' ? { text: incoming.text, byOthers: incoming.byOthers } : undefined;
}

test("typed words are the person's own", () => {
  expect(wordsOf({ text: 'Buy milk' })).toEqual({ text: 'Buy milk', byOthers: [] });
});

test.each([{ forward_origin: { type: 'hidden_user' } }, { via_bot: { id: 7 } }])(
  'a message with %j is by someone else, also the caption of a file',
  (mark) => {
    const byOthers = [{ text: 'Act now', source: 'forwarded' }];
    expect(wordsOf({ text: 'Act now', ...mark })).toEqual({ text: '', byOthers });
    expect(wordsOf({ caption: 'Act now', document: { file_id: 'a' }, ...mark })).toEqual({ text: '', byOthers });
  },
);

test('a message that is answered is quoted, and the part that was chosen instead of all of it', () => {
  const reply = { text: 'Do it', reply_to_message: { from: EVE, text: 'Pay Eve. Soon.' } };
  expect(wordsOf(reply)).toEqual({ text: 'Do it', byOthers: [{ text: 'Pay Eve. Soon.', source: 'quoted' }] });
  expect(wordsOf({ ...reply, quote: { text: 'Pay Eve.' } })?.byOthers).toEqual([
    { text: 'Pay Eve.', source: 'quoted' },
  ]);
});

test('an answer to the bot repeats nothing, because the thread has it', () => {
  expect(wordsOf({ text: 'Yes', reply_to_message: { from: BOT, text: 'Shall I?' } })?.byOthers).toEqual([]);
});
