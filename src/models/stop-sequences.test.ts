import fc from 'fast-check';
import { expect, test } from 'vitest';
import { NO_USAGE } from '#domain/usage.ts';
import { type Model, ModelCallAborted } from './model.ts';
import { askUntilStop } from './stop-sequences.ts';

const CALL = { callId: 'c', name: 'look', arguments: '{}' };
const never = new AbortController().signal;

/** Says these pieces, ignores stop sequences, and calls a tool at the end. */
const talking = (pieces: readonly string[]): Model => ({
  provider: 'test',
  name: 'test',
  contextSize: { promptTokens: 1000, windowTokens: 1000 },
  async ask(_prompt, onText, signal) {
    for (const piece of pieces) {
      onText(piece);
      if (signal.aborted) throw new ModelCallAborted(signal.reason, { ...NO_USAGE, outputTokens: 7 });
    }
    return { text: pieces.join(''), calls: [CALL], finish: 'length', usage: NO_USAGE };
  },
});

async function ask(pieces: readonly string[], stopSequences: string[], signal = never) {
  const heard: string[] = [];
  const prompt = { system: '', messages: [], tools: [], temperature: null, sampling: { stopSequences } };
  const answer = await askUntilStop(talking(pieces), prompt, (delta) => heard.push(delta), signal);
  return { ...answer, heard };
}

test('an answer ends before the first stop sequence, also when it comes in pieces', async () => {
  expect(await ask(['hello wo', 'r', 'ld again', ' and more'], ['again', 'world'])).toEqual({
    text: 'hello ',
    heard: ['hello '],
    calls: [],
    finish: 'stop',
    usage: { ...NO_USAGE, outputTokens: 7 },
  });
});

test('an answer without a stop sequence stays as it is, and the beginning of one is only held back', async () => {
  expect(await ask(['hello wor', 'k and wor'], ['world'])).toMatchObject({
    text: 'hello work and wor',
    heard: ['hello ', 'work and ', 'wor'],
    calls: [CALL],
    finish: 'length',
  });
});

test('a model that says a stop sequence last has stopped', async () => {
  expect(await ask(['a b'], ['b'])).toMatchObject({ text: 'a ', heard: ['a '], calls: [], finish: 'stop' });
});

test('an abort of the caller stays an abort', async () => {
  await expect(ask(['a', 'b'], ['b'], AbortSignal.abort('cancelled'))).rejects.toThrow(ModelCallAborted);
});

test('any text in any pieces is cut at the first stop sequence', async () => {
  const word = fc.string({ unit: fc.constantFrom('a', 'b'), minLength: 1, maxLength: 4 });
  await fc.assert(
    fc.asyncProperty(fc.array(word), fc.array(word, { minLength: 1, maxLength: 4 }), async (pieces, stops) => {
      const whole = pieces.join('');
      const { text, heard } = await ask(pieces, stops);

      expect(text).toBe((await ask(whole.split(''), stops)).text);
      expect(stops.some((stop) => text.includes(stop))).toBe(false);
      expect(whole.startsWith(text)).toBe(true);
      expect(text === whole || stops.some((stop) => whole.startsWith(stop, text.length))).toBe(true);
      expect(heard.join('')).toBe(text);
    }),
  );
});
