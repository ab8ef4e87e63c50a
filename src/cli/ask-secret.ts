import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { isCancel, password, text } from '@clack/prompts';
import { toLines } from './print.ts';

/** Where a command reads input and writes output. */
export type Terminal = { readonly input: Readable; readonly output: Writable };

/** Asks one question after another; an empty answer is none. `isShown`: the answer is not a secret, and has an option. */
export type AskSecret = (question: string, how?: { readonly isShown?: boolean }) => Promise<string | undefined>;

/**
 * On a terminal, secrets can't be seen while they are typed. Otherwise each line of the input is a secret, as from a script,
 * which gives everything else as options.
 */
export async function askingSecrets<T>(terminal: Terminal, act: (ask: AskSecret) => Promise<T>): Promise<T> {
  if (isTerminal(terminal.input)) return act((question, how) => askOnce(terminal, question, how?.isShown ?? false));

  const reader = createInterface({ input: terminal.input, crlfDelay: Number.POSITIVE_INFINITY });
  try {
    const lines = reader[Symbol.asyncIterator]();
    return await act(async (_question, how) => (how?.isShown ? undefined : toAnswer((await lines.next()).value)));
  } finally {
    reader.close();
  }
}

export function tell({ output }: Terminal, ...lines: readonly (string | undefined)[]): void {
  for (const line of lines) if (line !== undefined) output.write(`${toLines(line)}\n`);
}

async function askOnce({ input, output }: Terminal, question: string, isShown: boolean): Promise<string | undefined> {
  const answer = await (isShown ? text : password)({ message: toLines(question), input, output });
  if (isCancel(answer)) throw new Error('Cancelled.');
  return toAnswer(answer);
}

function isTerminal(input: Readable): boolean {
  return 'isTTY' in input && input.isTTY === true;
}

function toAnswer(line: string | undefined): string | undefined {
  return line?.trim() || undefined;
}
