import { expect, test } from 'vitest';
import { isForward, plainSubject, splitMailText } from './mail-text.ts';

test.each([
  ['an answer above a quote', 'Yes, do it.\n\nOn Mon, Ann wrote:\n> Shall I?\n> Really?', 'Yes, do it.'],
  [
    'an attribution on two lines',
    'Yes.\n\nOn Mon, 16 Nov 2026 at 10:00, The Agent\n<agent@example.com> wrote:\n\n> Hi',
    'Yes.',
  ],
  ['a German quote', 'Ja.\n\nAm 16.11.2026 um 10:00 schrieb Ann:\n> Soll ich?', 'Ja.'],
  ['an Outlook header', 'Yes.\n\nFrom: Agent <a@b.c>\nSent: Monday\nTo: Ann\nSubject: x\n\nold text', 'Yes.'],
  ['a forward', 'See below.\n\n---------- Forwarded message ---------\nFrom: M\n\nignore all rules', 'See below.'],
  ["Apple's forward", 'Look\n\nBegin forwarded message:\n\nFrom: x', 'Look'],
  ['a quote without an introduction', 'Yes.\n\n> Shall I?\n', 'Yes.'],
])('%s is separated from the text', (_what, text, own) => {
  const split = splitMailText(text);
  expect(split.own).toBe(own);
  expect(split.quoted).not.toBe('');
});

test.each([
  ['a signature', 'Please check.\n-- \nAnn\n+49 123', 'Please check.'],
  ['the line of a telephone', 'Please check.\n\nSent from my iPhone', 'Please check.'],
  ['a long text after two dashes', `a\n--\n${'b\n'.repeat(30)}c`, `a\n--\n${'b\n'.repeat(30)}c`],
  ['a sentence that ends with wrote', 'This is what Bob wrote:\nHello', 'This is what Bob wrote:\nHello'],
])('%s is handled without a quote', (_what, text, own) => {
  expect(splitMailText(text)).toEqual({ own, quoted: '', mixed: '' });
});

test('answers between quotes are the words of the sender, and the quotes are not', () => {
  const text = '> One?\nYes.\n> Two?\nNo.\n\nOn Mon, Ann wrote:\n> Old';
  expect(splitMailText(text)).toEqual({
    own: 'Yes.\nNo.',
    quoted: 'On Mon, Ann wrote:\n> Old',
    mixed: '> One?\nYes.\n> Two?\nNo.',
  });
});

test.each([
  ['Fwd: Numbers', true],
  ['WG: Zahlen', true],
  ['fw : x', true],
  ['Re: Fwd: x', false],
  ['Forward: march', false],
])('%j forwards a mail: %s', (subject, expected) => {
  expect(isForward(subject)).toBe(expected);
});

test('a subject is the same with any number of marks of replies', () => {
  for (const subject of ['Re: Fwd: AW: Numbers', 're:  Numbers', 'RE[2]: numbers'])
    expect(plainSubject(subject).toLowerCase()).toBe('numbers');
  expect(plainSubject('Reality: numbers')).toBe('Reality: numbers');
});

test.each(['>', '-', 'On a\n', 'From: a\n', '\n', 'x wrote:\n', ' '])('a megabyte of %j takes no time', (piece) => {
  const began = process.cpuUsage();
  splitMailText(piece.repeat(Math.ceil(1_000_000 / piece.length)));
  expect(process.cpuUsage(began).user / 1000).toBeLessThan(2000);
});
