import { expect, test } from 'vitest';
import { hashSecret } from '../secret-hash.ts';
import { findHome, findRegistrar, type WeightedCell } from './placement.ts';

const KEYS = Array.from({ length: 4000 }, (_, number) => hashSecret(`person ${number}`));

const equal = (...cells: number[]): WeightedCell[] => cells.map((cell) => ({ cell, weight: 100 }));
const homesIn = (cells: readonly WeightedCell[]) => KEYS.map((key) => findHome(key, cells));
const shareOf = (cell: number, homes: readonly unknown[]) =>
  homes.filter((home) => home === cell).length / homes.length;

test('cells of equal weight get equal shares, in any order of the list', () => {
  const homes = homesIn(equal(1, 2, 3, 4));

  for (const cell of [1, 2, 3, 4]) expect(shareOf(cell, homes)).toBeCloseTo(0.25, 1);
  expect(homesIn(equal(4, 2, 1, 3))).toEqual(homes);
});

test('a cell that is added takes its share from the others, and no one moves between those', () => {
  const before = homesIn(equal(1, 2, 3, 4));
  const after = homesIn(equal(1, 2, 3, 4, 5));

  expect(after.every((home, number) => home === before[number] || home === 5)).toBe(true);
  expect(shareOf(5, after)).toBeCloseTo(0.2, 1);
});

test('a cell that is closed gives away its own users only, in equal shares', () => {
  const before = homesIn(equal(1, 2, 3, 4));
  const after = homesIn([...equal(1, 2, 4), { cell: 3, weight: 0 }]);
  const given = after.filter((_, number) => before[number] === 3);

  expect(after.every((home, number) => home === before[number] || before[number] === 3)).toBe(true);
  for (const cell of [1, 2, 4]) expect(shareOf(cell, given)).toBeCloseTo(1 / 3, 1);
});

test('shares follow the weights, and a heavier cell takes users without moving others', () => {
  const before = homesIn(equal(1, 2, 3));
  const after = homesIn([...equal(1, 2), { cell: 3, weight: 200 }]);

  expect(shareOf(3, after)).toBeCloseTo(0.5, 1);
  expect(after.every((home, number) => home === before[number] || home === 3)).toBe(true);
});

test('without an open cell there is no home', () => {
  expect([findHome(hashSecret('ann'), []), findHome(hashSecret('ann'), [{ cell: 1, weight: 0 }])]).toEqual([
    undefined,
    undefined,
  ]);
});

test('the registrar depends on the registrars alone, and is the home while the cells are these with equal weights', () => {
  const registrars = [1, 2, 3, 4];
  const first = { registrars, cells: equal(1, 2, 3, 4) };
  const later = { registrars, cells: [{ cell: 1, weight: 0 }, { cell: 2, weight: 7 }, ...equal(3, 4, 5)] };

  for (const key of KEYS.slice(0, 500))
    expect([findRegistrar(key, later), findRegistrar(key, first)]).toEqual(
      Array.from({ length: 2 }, () => findHome(key, first.cells)),
    );
});

test('homes stay the same from version to version, since people live in them', () => {
  const cells = equal(1, 2, 3, 4);

  expect(['ann', 'ben', 'cem', 'dia', 'eva', 'fay'].map((name) => findHome(hashSecret(name), cells))).toEqual([
    1, 1, 3, 3, 3, 4,
  ]);
});
