import { expect, test } from 'vitest';
import { createSpeaker } from './speak.ts';

function listen() {
  let written = '';
  const speaker = createSpeaker((text) => (written += text));
  return { ...speaker, written: () => written };
}

test('what is said is written as it comes, and ends with its line', () => {
  const { begin, say, end, written } = listen();
  begin();
  say('hello ');
  expect(written()).toBe('hello ');
  say('world');
  end();
  expect(written()).toBe('hello world\n');
});

test('an answer that starts again after a crash continues where the first one stopped', () => {
  const { begin, say, breakOff, written } = listen();
  begin();
  say('one two thr');
  breakOff();
  begin();
  for (const piece of ['one ', 'two ', 'three ', 'four']) say(piece);
  expect(written()).toBe('one two three four');
});

test('a crash while it catches up is survived, too', () => {
  const { begin, say, breakOff, written } = listen();
  begin();
  say('one two');
  breakOff();
  begin();
  say('one');
  breakOff();
  begin();
  say('one two three');
  expect(written()).toBe('one two three');
});

test('an answer that differs after a crash is separated from the text printed before', () => {
  const { begin, say, breakOff, written } = listen();
  begin();
  say('The sky is bl');
  breakOff();
  begin();
  say('The sky ');
  say('was grey.');
  expect(written()).toBe('The sky is bl\n\nThe sky was grey.');
});

test('two messages of one turn are paragraphs', () => {
  const { begin, say, written } = listen();
  begin();
  say('Let me look.');
  begin();
  say('Found it.');
  expect(written()).toBe('Let me look.\n\nFound it.');
});

const SOURCE = { number: 3, url: 'https://a.example/x', title: 'Harbour', published: null, how: 'read' } as const;

test('sources are numbers, and a list below the message', () => {
  const { begin, say, finish, end, written } = listen();
  begin({ marks: [], sources: [SOURCE] });
  for (const piece of ['Dredged [', 's3', '], and [s9', '] [x].']) say(piece);
  finish({
    marks: [
      { start: 8, end: 12, number: 3, check: 'read' },
      { start: 18, end: 22, number: 9, check: 'unknown' },
    ],
    sources: [SOURCE],
  });
  end();
  expect(written()).toBe(
    'Dredged [1], and [s9] [x].\n\nSources:\n1. [Harbour](https://a.example/x) – a.example\n\nThere is no source s9.\n',
  );
});

test('text that only began like a source is written when the message ends', () => {
  const { begin, say, finish, written } = listen();
  begin();
  say('one [s');
  expect(written()).toBe('one ');
  finish();
  expect(written()).toBe('one [s');
});
