import { expect, test } from 'vitest';
import { newId, type TurnId } from '../ids.ts';
import { lineTo, newestAfter, type PlacedTurn, versionsOf } from './versions.ts';

const turn = (seq: number, follows: number, more: Partial<PlacedTurn> = {}): PlacedTurn => ({
  id: newId<TurnId>(),
  seq,
  follows,
  origin: null,
  hidden: false,
  failed: false,
  ...more,
});

test('a line leads from a turn back to the start of the thread', () => {
  const turns = [turn(1, 0), turn(2, 1, { hidden: true }), turn(3, 2, { hidden: true }), turn(4, 1), turn(5, 4)];
  expect(lineTo(turns, 5)).toEqual([5, 4, 1]);
  expect(lineTo(turns, 3)).toEqual([3, 2, 1]);
  expect(lineTo(turns, 0)).toEqual([]);
});

test('a version is shown with the newest turn that follows it', () => {
  const turns = [turn(1, 0), turn(2, 1), turn(3, 2), turn(4, 1), turn(5, 4), turn(6, 2)];
  expect(newestAfter(turns, 2)).toBe(6);
  expect(newestAfter(turns, 4)).toBe(5);
  expect(newestAfter(turns, 3)).toBe(3);
});

test('a thread without versions has none to list', () => {
  expect(versionsOf([turn(1, 0), turn(2, 1), turn(3, 2)])).toEqual([]);
});

test('an edited message has versions, and an answer has them for its message alone', () => {
  const first = turn(1, 0);
  const original = turn(2, 1, { hidden: true });
  const again = turn(3, 1, { hidden: true, origin: 2 });
  const edited = turn(4, 1, { hidden: true });
  const editedAgain = turn(5, 1, { origin: 4 });
  expect(versionsOf([editedAgain, first, original, again, edited])).toEqual([
    {
      turnId: editedAgain.id,
      message: { number: 2, count: 2, previous: again.id, next: null },
      answer: { number: 2, count: 2, previous: edited.id, next: null },
    },
  ]);
});

test('a failed attempt that was replaced is not a version; one that is shown is', () => {
  const failed = turn(1, 0, { failed: true, hidden: true });
  const answered = turn(2, 0, { origin: 1 });
  expect(versionsOf([failed, answered])).toEqual([]);

  const shown = turn(3, 0, { origin: 1, failed: true });
  expect(versionsOf([failed, { ...answered, hidden: true }, shown])).toEqual([
    {
      turnId: shown.id,
      message: null,
      answer: { number: 2, count: 2, previous: answered.id, next: null },
    },
  ]);
});
