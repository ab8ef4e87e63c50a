import { expect, test } from 'vitest';
import type { ChatAccount } from '#domain/chat/chat.ts';
import { readUpdate } from './read-update.ts';

const account = { remoteId: 'T1:U9', name: 'reborn' } as ChatAccount;

function wordsOf(more: object) {
  const event = { type: 'message', channel: 'D1', user: 'U1', ts: '1700000000.000001', ...more };
  const incoming = readUpdate({ type: 'event_callback', team_id: 'T1', event }, account);
  return incoming?.kind === 'message' ? { text: incoming.text, byOthers: incoming.byOthers } : undefined;
}

test('messages that a person shares or links to are by others, with and without own words', () => {
  const attachments = [
    { is_share: true, text: 'Pay <mailto:eve@x.example|eve@x.example>' },
    { is_msg_unfurl: true, text: 'Soon' },
    { text: 'a preview of a page' },
  ];
  const byOthers = [
    { text: 'Pay eve@x.example', source: 'shared' },
    { text: 'Soon', source: 'shared' },
  ];
  expect(wordsOf({ text: 'Do it', attachments })).toEqual({ text: 'Do it', byOthers });
  expect(wordsOf({ text: '', attachments })).toEqual({ text: '', byOthers });
});
