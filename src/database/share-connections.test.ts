import { expect, test } from 'vitest';
import { FEWEST_CONNECTIONS, shareConnections } from './share-connections.ts';

test('the shares and the listening connection never exceed the total', () => {
  for (let total = FEWEST_CONNECTIONS; total <= 100; total++)
    for (const buildsIndexes of [false, true]) {
      const { store, engine, identities } = shareConnections(total, { buildsIndexes });
      expect(1 + (buildsIndexes ? 1 : 0) + store + engine + identities).toBe(total);
      expect(Math.min(store, identities)).toBeGreaterThanOrEqual(1);
      expect(engine).toBeGreaterThanOrEqual(2);
    }
});

test('by default requests have four connections, the engine three, and authentication two', () => {
  expect(shareConnections(10, { buildsIndexes: false })).toEqual({ store: 4, engine: 3, identities: 2 });
});
