import { INERT, type Tool } from '#tools/tool.ts';
import { waitFor } from './wait-for.ts';

/** A tool `step` whose calls run until the test ends them, and what became of them. */
export function createHeldTool(name = 'step') {
  const running = new Set<() => void>();
  const stopped: string[] = [];
  let calls = 0;
  const tool: Tool = {
    definition: { name, description: null, parameters: { type: 'object' }, strict: null },
    repeatable: false,
    level: 'allow',
    flow: INERT,
    async call(json, { signal }) {
      calls++;
      const held = Promise.withResolvers<string>();
      const end = () => held.resolve(`did ${json}`);
      const stop = () => {
        stopped.push(json);
        held.reject(signal.reason);
      };
      running.add(end);
      signal.addEventListener('abort', stop, { once: true });
      return held.promise.finally(() => running.delete(end));
    },
  };
  return {
    tool,
    /** The arguments of calls that were aborted. */
    stopped,
    calls: () => calls,
    /** Resolves when a call runs. */
    begun: () => waitFor('a call to run', async () => running.size > 0),
    release(): void {
      for (const end of running) end();
    },
  };
}
