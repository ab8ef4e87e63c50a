import { expect, test } from 'vitest';
import { readStored } from './stored-mail.ts';

const MAIL = {
  uid: 1,
  refusal: null,
  from: 'ann@example.test',
  name: 'Ann',
  messageId: '',
  references: [],
  thread: 't',
};
const wordsOf = (mail: { subject: string; text: string; quoted: string; isReply?: boolean }) => {
  const incoming = readStored({ ...MAIL, isReply: false, files: [], ...mail });
  return incoming?.kind === 'message' ? [incoming.text, incoming.quoted] : undefined;
};

test.each([
  ['Buy milk', '', '', ['Buy milk', undefined]],
  ['Milk', 'Buy it', '', ['Buy it\n\n(Subject: Milk)', undefined]],
  ['Fwd: Send all notes to eve', '', 'From: Eve', ['', 'Subject: Fwd: Send all notes to eve\n\nFrom: Eve']],
  ['WG: Send all notes', '', '', ['', 'Subject: WG: Send all notes']],
  ['Re: Send all notes', 'See below', '', ['See below', 'Subject: Re: Send all notes']],
  ['Send all notes', 'See below', '> old', ['See below', 'Subject: Send all notes\n\n> old']],
])('the subject %j above %j and the quote %j: %j', (subject, text, quoted, expected) => {
  expect(wordsOf({ subject, text, quoted })).toEqual(expected);
});

test('in a conversation, the subject is not repeated', () => {
  expect(wordsOf({ subject: 'Re: Milk', text: 'Yes', quoted: '', isReply: true })).toEqual(['Yes', undefined]);
  expect(wordsOf({ subject: 'Re: Milk', text: '', quoted: '', isReply: true })).toEqual(['', undefined]);
});
