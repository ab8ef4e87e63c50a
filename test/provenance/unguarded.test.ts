import { afterAll, beforeAll, expect, test } from 'vitest';
import { ATTACKS, attack, titleOf } from './attack.ts';
import { WAYS_IN } from './ways-in.ts';
import { startWorld, type World } from './world.ts';

let world: World;
beforeAll(async () => {
  world = await startWorld({ unguarded: true });
});
afterAll(() => world.close());

/** A third of them, such that each way in and each way out takes part. The long form tries all of them. */
const perWay = ATTACKS.length / WAYS_IN.length;
const tried = ATTACKS.filter(
  (_, at) => process.env['ENDURANCE'] !== undefined || (at + Math.floor(at / perWay)) % 3 === 0,
);

/** So that none of the attacks is stopped by anything but the rule. */
test.concurrent.each(tried.map((each) => [titleOf(each), each] as const))(
  'without the rule it works: %s',
  async (_title, each) => {
    const person = await world.add();
    const { response } = await attack(person, each);
    expect(response.error).toBeNull();
    expect(await each.wayOut.happened(person)).toBe(true);
  },
);
