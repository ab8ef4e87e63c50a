const MOST_AT_ONCE = 256;

/**
 * Collects inputs that arrive in the same tick or while an earlier batch runs, and handles them with one call of `act`,
 * which returns one result per input. If a batch fails, each input is tried alone, so that one bad input does not fail the
 * others, unless `isFinal` says that retrying makes no sense.
 */
export function createBatch<In, Out>(
  act: (inputs: readonly In[]) => Promise<readonly Out[]>,
  isFinal: (error: unknown) => boolean,
): (input: In) => Promise<Out> {
  type Waiting = { readonly input: In; readonly done: PromiseWithResolvers<Out> };
  const waiting: Waiting[] = [];
  let busy = false;

  async function settle(batch: readonly Waiting[]): Promise<void> {
    try {
      const results = await act(batch.map(({ input }) => input));
      batch.forEach(({ done }, index) => done.resolve(results[index] as Out));
    } catch (error) {
      if (batch.length === 1 || isFinal(error)) for (const { done } of batch) done.reject(error);
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
      setImmediate(() => void drain()); // inputs of the same tick join this batch
    }
    return done.promise;
  };
}
