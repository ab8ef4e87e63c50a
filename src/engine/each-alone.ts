/** Does the same for each, one after the other. An error ends none of the others: the first one is thrown when all are done. */
export async function eachAlone<T>(all: readonly T[], act: (one: T) => Promise<void>): Promise<void> {
  const errors: unknown[] = [];
  for (const one of all) await act(one).catch((error: unknown) => errors.push(error));
  if (errors.length > 0) throw errors[0];
}
