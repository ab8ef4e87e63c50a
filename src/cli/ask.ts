import { text } from 'node:stream/consumers';
import { type Answer, askOnce } from '#channels/terminal/ask-once.ts';
import { printable } from '#channels/terminal/printable.ts';
import { readConfig } from '#config.ts';
import { printJson } from './print.ts';
import { runCommand } from './run-command.ts';
import { withQuietService } from './with-service.ts';

type Options = { readonly thread?: string; readonly json?: true };

/** The exit codes besides 0 (answered) and 1 (failed). */
const WAITING = 3;
const CUT_SHORT = 4;
const INTERRUPTED = 130;

/** `reborn ask`: one message, its answer on stdout, everything else on stderr. */
export function ask(words: readonly string[], { thread, json }: Options): Promise<void> {
  return runCommand(async () => {
    const message = await readMessage(words);
    const interrupted = new AbortController();
    process.once('SIGINT', () => interrupted.abort());
    const answer = await withQuietService(readConfig(), ({ locate }) =>
      askOnce({
        locate,
        message,
        threadId: thread,
        write: json ? () => {} : (piece) => process.stdout.write(process.stdout.isTTY ? printable(piece) : piece),
        signal: interrupted.signal,
        onLost: () => process.stderr.write('reborn: the service is gone; waiting for it to come back.\n'),
      }),
    );
    if (json) printJson(answer);
    process.exitCode = tellOutcome(answer);
  });
}

async function readMessage(words: readonly string[]): Promise<string> {
  const piped = process.stdin.isTTY ? '' : (await text(process.stdin)).trimEnd();
  const message = [words.join(' ').trim(), piped].filter(Boolean).join('\n\n');
  if (message.trim() === '') throw new Error('There is nothing to ask. Try: reborn ask "What time is it?"');
  return message;
}

function tellOutcome({ status, failure, thread_id: thread }: Answer): number {
  switch (status) {
    case 'completed':
      return 0;
    case 'waiting':
      process.stderr.write(`reborn: the turn waits for an answer. Give it with: reborn --thread ${thread}\n`);
      return WAITING;
    case 'incomplete':
      process.stderr.write("reborn: the answer was cut short by the model's limit.\n");
      return CUT_SHORT;
    case 'cancelled':
      process.stderr.write('reborn: cancelled.\n');
      return INTERRUPTED;
    default:
      process.stderr.write(`reborn: ${failure?.message ?? 'the turn failed.'}\n`);
      return 1;
  }
}
