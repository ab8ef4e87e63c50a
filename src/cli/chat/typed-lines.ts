import { createInterface } from 'node:readline';

export type TypedLines = ReturnType<typeof readTypedLines>;

/** The lines that a person types or pastes, at any time. Undefined at their end. */
export function readTypedLines(input: NodeJS.ReadableStream) {
  const lines = createInterface({ input, terminal: false });
  const waiting: string[] = [];
  let take: ((line: string | undefined) => void) | undefined;
  let isClosed = false;

  function give(line: string | undefined): void {
    const taken = take;
    take = undefined;
    taken?.(line);
  }
  lines.on('line', (line) => (take ? give(line) : waiting.push(line)));
  lines.on('close', () => {
    isClosed = true;
    give(undefined);
  });

  function fresh(): Promise<string | undefined> {
    const { promise, resolve } = Promise.withResolvers<string | undefined>();
    if (isClosed) resolve(undefined);
    else take = resolve;
    return promise;
  }

  return {
    /** The next line, also one that was typed before it was asked for. */
    next: async (): Promise<string | undefined> => waiting.shift() ?? fresh(),
    /** A line that is typed from now on: what was typed before is no answer to a question that came after it. Who waits already gets none. */
    fresh,
    close: () => lines.close(),
  };
}
