/** Lets so many tasks run at once; the others wait in the order they came. */
export function createTurnstile(most: number) {
  const waiting: (() => void)[] = [];
  let inside = 0;
  return async <Result>(task: () => Promise<Result>): Promise<Result> => {
    if (inside < most) inside++;
    else await new Promise<void>((resolve) => waiting.push(resolve));
    try {
      return await task();
    } finally {
      const next = waiting.shift(); // it takes over our place
      if (next) next();
      else inside--;
    }
  };
}
