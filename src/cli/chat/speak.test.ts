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
