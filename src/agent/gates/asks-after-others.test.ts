import { expect, test } from 'vitest';
import { FOREIGN_AND_PRIVATE } from '#domain/thread/origin.ts';
import { INERT } from '#tools/tool.ts';
import { asksAfterOthers } from './asks-after-others.ts';

const reader = { level: 'allow', flow: { reads: FOREIGN_AND_PRIVATE, runs: 'always' } } as const;
const allowed = (after: 'clean' | 'foreign' | 'both') => ({ level: 'allow', after }) as const;

test.each([
  ['a tool that only reads', reader, undefined, false],
  ['a tool that computes', { level: 'allow', flow: INERT } as const, undefined, false],
  ['a tool that says nothing about itself', { level: 'allow' } as const, undefined, true],
  ['a tool that always asks', {}, undefined, true],
  ['a tool that acts, at allow', {}, allowed('clean'), true],
  ['a tool that acts, at allow after text by others', {}, allowed('foreign'), false],
  ['a tool that acts, at allow in every situation', {}, allowed('both'), false],
  ['a tool that reads, at allow', reader, allowed('clean'), false],
  ['a version that was not reviewed, at allow', { unreviewed: true } as const, allowed('both'), true],
  ['a tool that the operator asks about', reader, { level: 'ask', after: 'clean' } as const, true],
  ['a tool that is forbidden', {}, { level: 'never', after: 'clean' } as const, false],
])('whether %s asks after text by others', (_, tool, policy, asks) => {
  expect(asksAfterOthers(tool, policy)).toBe(asks);
});
