import { afterAll, beforeAll, expect, test } from 'vitest';
import { ATTACKS, attack, effectsOf, titleOf } from './attack.ts';
import { startWorld, type World } from './world.ts';

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world.close());

test('there are 351 cases', () => {
  expect(new Set(ATTACKS.map(titleOf)).size).toBe(351);
});

test.concurrent.each(ATTACKS.map((each) => [titleOf(each), each] as const))('%s', async (_title, each) => {
  const person = await world.add();
  const { response, hostile } = await attack(person, each);
  expect(response.error?.code).toBe('approval_required');
  const [gate] = await person.gates();
  expect({ name: gate?.call.name, arguments: gate?.call.arguments }).toEqual(hostile);
  expect(await effectsOf(person)).toEqual([]);
  expect(await each.wayOut.happened(person)).toBe(false);
});
