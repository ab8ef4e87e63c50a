import { expect, test } from 'vitest';
import {
  askSentence,
  didSentence,
  doesSentence,
  plainText,
  type ShownCall,
  textOfValue,
  valuesOf,
} from './call-card.ts';

const mail: NonNullable<ShownCall['card']> = {
  templates: [
    {
      when: { path: 'draft', value: true },
      ask: { en: 'Keep a draft to {to}?' },
      did: { en: '**Draft kept** for {to}' },
    },
    {
      ask: {
        en: 'Send a mail to {to} about {subject}?',
        de: 'Eine Mail an {to} über {subject} senden?',
        nb: 'Sende en e-post til {to} om {subject}?',
      },
      did: { en: '**Mail sent** to {to}' },
    },
    { ask: { en: 'Send a mail to {to}?' }, did: { en: '**Mail sent** to {to}' } },
  ],
  fields: [
    { path: 'to', label: { en: 'To', de: 'An' }, kind: 'exact' },
    { path: 'subject', label: { en: 'Subject' }, kind: 'text' },
    { path: 'when.at', label: { en: 'At' }, kind: 'time' },
  ],
};
const call = (given: unknown, card: ShownCall['card'] = mail): ShownCall => ({
  name: 'send_mail',
  arguments: typeof given === 'string' ? given : JSON.stringify(given),
  card,
});
const asks = (given: unknown, language = 'en') => plainText(askSentence(call(given), { language }));

test('the first template that fits the arguments is used, in the language of the reader', () => {
  expect(asks({ to: 'ann@a.example', subject: 'March' })).toBe('Send a mail to ann@a.example about “March”?');
  expect(asks({ to: 'ann@a.example', subject: 'March' }, 'de')).toBe('Eine Mail an ann@a.example über „March“ senden?');
  expect(asks({ to: 'ann@a.example', subject: 'March' }, 'nb')).toBe('Sende en e-post til ann@a.example om «March»?');
  expect(asks({ to: 'ann@a.example' }, 'de')).toBe('Send a mail to ann@a.example?');
  expect(asks({ to: 'ann@a.example', draft: true })).toBe('Keep a draft to ann@a.example?');
  expect(asks({ to: ['a@a.example', 'b@a.example', 'c@a.example', 'd@a.example'] })).toBe(
    'Send a mail to a@a.example, b@a.example, c@a.example, +1?',
  );
  expect(plainText(didSentence(call({ to: 'ann@a.example' })))).toBe('Mail sent to ann@a.example');
});

test('a value can not pass for the sentence', () => {
  const hostile = 'March”? It was approved already.\u202e\nRun “nothing';
  const parts = askSentence(call({ to: 'ann@a.example', subject: hostile }));
  expect(parts.filter(({ kind }) => kind === 'words').map(({ text }) => text)).toEqual([
    'Send a mail to ',
    ' about ',
    '“',
    '”',
    '?',
  ]);
  const [, value] = /“(.*)”/.exec(plainText(parts)) ?? [];
  expect(value).toBe("March'? It was approved already. Run 'nothing");
  expect(asks({ to: 'ann@a.example for nothing' })).toBe('Send a mail to “ann@a.example for nothing”?');
  expect(asks({ to: 'x'.repeat(500) })).toBe(`Send a mail to “${'x'.repeat(80)}…”?`);
  expect(asks({ to: `a${'\u0301'.repeat(50)}` })).toBe(`Send a mail to “a${'\u0301'.repeat(4)}”?`);
  expect(asks({ to: 'ann@a.example', subject: '{to}' })).toBe('Send a mail to ann@a.example about “{to}”?');
});

test('arguments that could be read in two ways have neither a sentence nor a list', () => {
  for (const json of ['{"to":"a@a.example","to":"b@a.example"}', '[1]', 'no JSON', '{"to":12345678901234567890}']) {
    expect(plainText(askSentence(call(json)))).toBe('Run send_mail?');
    expect(valuesOf(call(json))).toBeUndefined();
  }
  expect(valuesOf(call(''))).toEqual([]);
});

test("a server's tool is asked about by its title, else by its name", () => {
  const tracker = { name: 'tracker__create_ticket', arguments: '{}' };
  const asked = (card: ShownCall['card'], language = 'en') =>
    plainText(askSentence({ ...tracker, card }, { language }));
  expect(asked({ server: 'tracker' })).toBe('Run create_ticket of tracker?');
  expect(asked({ server: 'tracker', title: 'Create a ticket' })).toBe('Run “Create a ticket” of tracker?');
  expect(asked({ server: 'tracker', title: 'A “ticket”' }, 'de')).toBe("„A 'ticket'“ von tracker ausführen?");
  expect(plainText(didSentence({ ...tracker, card: { server: 'tracker' } }))).toBe('Ran create_ticket of tracker');
});

test('the thing that an id identifies is named, or the id is shown', () => {
  const run = (names: Record<string, string | null>) =>
    plainText(
      askSentence(
        call(
          { id: '0198c2d4-6d1e' },
          {
            templates: [{ ask: { en: 'Run the mission {id} now?' }, did: { en: '**Started** {id}' } }],
            fields: [{ path: 'id', label: { en: 'Mission' }, kind: 'exact' }],
            names,
          },
        ),
      ),
    );
  expect(run({ id: 'Morning summary' })).toBe('Run the mission “Morning summary” now?');
  expect(run({ id: null })).toBe('Run the mission 0198c2d4-6d1e now?');
});

test('all arguments are listed with their labels, and by their keys without one', () => {
  const given = {
    to: 'ann@a.example',
    subject: 'a\u202eb',
    when: { at: '2026-11-19T07:00:00.000Z', local: '2026-12-24T18:00' },
    copies: ['b@a.example', 'c@a.example'],
    urgent: false,
    parts: [{ name: 'x' }],
    nothing: [],
  };
  const values = valuesOf(call(given), { language: 'de', locales: ['en-GB'], zone: 'Europe/Oslo' }) ?? [];
  expect(
    values.map(({ label, isKey, lines }) => [label, isKey, lines.map((line) => `${line.kind} ${textOfValue(line)}`)]),
  ).toEqual([
    ['An', false, ['exact ann@a.example']],
    ['Subject', false, ['text a\\u202eb']],
    ['when › At', false, ['time Thu, 19 Nov 2026, 08:00 CET']],
    ['when › local', true, ['exact 2026-12-24T18:00']],
    ['copies', true, ['exact b@a.example', 'exact c@a.example']],
    ['urgent', true, ['no no']],
    ['parts › 1 › name', true, ['text x']],
    ['nothing', true, ['none none']],
  ]);
});

test('a call is described by its question without the mark', () => {
  expect(plainText(doesSentence(call({ to: 'ann@a.example' })))).toBe('Send a mail to ann@a.example');
  expect(plainText(doesSentence({ name: 'erase', arguments: '{}' }))).toBe('Run erase');
});
