import { expect, test } from 'vitest';
import { addUsage, NO_USAGE, type Usage } from './usage.ts';

const usage: Usage = {
  inputTokens: 1,
  cachedInputTokens: 2,
  outputTokens: 3,
  reasoningTokens: 4,
  cost: { inputUsd: 0.25, outputUsd: 0.5 },
};
const unpriced: Usage = { ...usage, cost: null };

test('every count of two usages is added', () => {
  expect(addUsage(usage, { ...usage, inputTokens: 10, cost: { inputUsd: 1, outputUsd: 2 } })).toEqual({
    inputTokens: 11,
    cachedInputTokens: 4,
    outputTokens: 6,
    reasoningTokens: 8,
    cost: { inputUsd: 1.25, outputUsd: 2.5 },
  });
});

test('no usage adds nothing', () => {
  expect(addUsage(NO_USAGE, usage)).toEqual(usage);
});

test('an unknown price makes the whole price unknown, and the tokens still count', () => {
  expect(addUsage(usage, unpriced)).toMatchObject({ cost: null, inputTokens: 2 });
  expect(addUsage(unpriced, usage)).toMatchObject({ cost: null, inputTokens: 2 });
  expect(addUsage(unpriced, NO_USAGE).cost).toBeNull();
});
