const MOST_AT_ONCE = 256;

/**
 * Gathers what is asked for in the same moment, or while an earlier batch is under way, and does it in one go.
 * `act` answers for each of its inputs in turn. If a batch fails, each of its inputs is tried alone, so that one that
 * can't be done does not take the others with it; `isHopeless` tells when that would be in vain.
 */
export function createBatch<In, Out>(
  act: (inputs: readonly In[]) => Promise<readonly Out[]>,
  isHopeless: (error: unknown) => boolean,
): (input: In) => Promise<Out> {
  type Waiting = { readonly input: In; readonly done: PromiseWithResolvers<Out> };
  const waiting: Waiting[] = [];
  let busy = false;

  async function settle(batch: readonly Waiting[]): Promise<void> {
    try {
      const results = await act(batch.map(({ input }) => input));
      batch.forEach(({ done }, index) => done.resolve(results[index] as Out));
    } catch (error) {
      if (batch.length === 1 || isHopeless(error)) for (const { done } of batch) done.reject(error);
      else for (const one of batch) await settle([one]);
    }
  }

  async function drain(): Promise<void> {
    while (waiting.length > 0) await settle(waiting.splice(0, MOST_AT_ONCE));
    busy = false;
  }

  return (input) => {
    const done = Promise.withResolvers<Out>();
    waiting.push({ input, done });
    if (!busy) {
      busy = true;
      setImmediate(() => void drain()); // whoever asks in this same moment comes along
    }
    return done.promise;
  };
}
