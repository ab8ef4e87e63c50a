import type { Rung } from '../rung.ts';
import type { Limits } from '../sandbox.ts';
import { endOrphans } from './end-orphans.ts';
import { findBubblewrap, startBubblewrap } from './start.ts';

export function createBubblewrapRung(program: string, limits: Limits): Rung {
  return {
    name: 'bubblewrap',
    async find() {
      const found = await findBubblewrap(program);
      endOrphans();
      return { program: found };
    },
    async start(adopt, { signal }) {
      signal.throwIfAborted();
      const runner = adopt(startBubblewrap(program, limits));
      await runner.ready;
      return runner;
    },
    now: async () => ({}),
  };
}
