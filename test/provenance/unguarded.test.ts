import { afterAll, beforeAll, expect, test } from 'vitest';
import { ATTACKS, attack, titleOf } from './attack.ts';
import { startWorld, type World } from './world.ts';

let world: World;
beforeAll(async () => {
  world = await startWorld({ unguarded: true });
});
afterAll(() => world.close());

/** So that none of the attacks is stopped by anything but the rule. */
test.concurrent.each(ATTACKS.map((each) => [titleOf(each), each] as const))(
  'without the rule it works: %s',
  async (_title, each) => {
    const person = await world.add();
    const { response } = await attack(person, each);
    expect(response.error).toBeNull();
    expect(await each.wayOut.happened(person)).toBe(true);
  },
);
