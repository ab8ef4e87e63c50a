import { expect, test } from 'vitest';
import { createAttention } from './attention.ts';
import type { Entry } from './entries.ts';

const gate = (answer?: string) => ({ kind: 'gate', id: 'gate-1', answer }) as unknown as Entry;

function watch() {
  const seen: string[] = [];
  let now = 0;
  const attention = createAttention({
    setTitle: (title) => seen.push(title),
    ring: () => seen.push('bell'),
    now: () => now,
  });
  const see = (running: string | undefined, entries: readonly Entry[], after = 0, began?: string) => {
    now += after;
    attention.update({ running, began, entries });
    return seen.splice(0);
  };
  return { see, attention };
}

test('the end of a long turn rings, that of a short one does not', () => {
  const { see, attention } = watch();

  expect(see(undefined, [])).toEqual(['Reborn']);
  expect(see('turn', [])).toEqual(['Reborn is working']);
  expect(see(undefined, [], 9000)).toEqual(['Reborn']);
  see('turn', []);
  see('turn', [], 12_500);
  expect(attention.workedFor()).toBe(12);
  expect(see(undefined, [])).toEqual(['bell', 'Reborn']);
  expect(attention.workedFor()).toBe(0);
});

test('a turn that runs when its thread is opened has worked since it began', () => {
  const { see, attention } = watch();

  see('turn', [], 60_000, new Date(20_000).toISOString());
  expect(attention.workedFor()).toBe(40);
});

test('a question rings once, until another is asked', () => {
  const { see } = watch();

  see('turn', []);
  expect(see(undefined, [gate()])).toEqual(['bell', 'Reborn has a question']);
  expect(see(undefined, [gate()])).toEqual([]);
  expect(see('turn', [gate('approved')])).toEqual(['Reborn is working']);
});
