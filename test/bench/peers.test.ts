import { expect, test } from 'vitest';
import { cpuOfTree, findTree } from '../../bench/peers/process-tree.ts';
import { decide, findKept, QUESTIONS } from '../../bench/peers/script.ts';
import type { SeenPrompt } from '../support/scripted-model.ts';

const processOf = (pid: number, parent: number) => ({ pid, parent, ended: false, used: 10, usedByEnded: 1 });

test('the tree of a server has its processes at every depth, each of them once', () => {
  const all = [processOf(4, 3), processOf(1, 0), processOf(2, 1), processOf(3, 2), processOf(5, 1)];

  expect(findTree(all, [2]).map(({ pid }) => pid)).toEqual([2, 3, 4]);
  expect(findTree(all, [2, 3])).toHaveLength(3);
  expect(cpuOfTree(findTree(all, [2]))).toBe(330);
});

test('the model answers the newest question of the crash check', () => {
  const prompt = [QUESTIONS.old, 'old0 old63 ', QUESTIONS.interrupted, 'data that a server adds'];
  const answer = decide({ messages: prompt.map((text) => ({ role: 'user', text })) } as unknown as SeenPrompt);

  expect(answer.pieces?.at(-1)).toBe('interrupted63 ');
  expect(answer.pace).toBeGreaterThan(0);
});

test('the prompt for the last question shows which turns a server kept', () => {
  expect(findKept(`${QUESTIONS.old} old0 old63 ${QUESTIONS.interrupted} interrupted0 ${QUESTIONS.last}`)).toEqual({
    oldTurn: 'kept',
    recentTurn: 'lost',
    interruptedMessage: 'kept',
    interruptedAnswer: 'part',
  });
});
