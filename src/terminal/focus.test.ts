import { expect, test } from 'vitest';
import type { Entry } from './entries.ts';
import { createFocus } from './focus.ts';

test('Tab goes to the open question first, also if a message waits below it, and then to the newest', () => {
  const entries = [
    { kind: 'tool', id: 'call' },
    { kind: 'gate', id: 'question', answer: undefined },
    { kind: 'queued', id: 'older' },
    { kind: 'queued', id: 'newer' },
  ] as unknown as readonly Entry[];
  const focus = createFocus(
    () => entries,
    () => {},
  );
  const order = Array.from({ length: 5 }, () => {
    focus.move(1);
    return focus.id();
  });
  expect(order).toEqual(['question', 'newer', 'older', 'call', undefined]);
  focus.move(-1);
  expect(focus.id()).toBe('call');
});
