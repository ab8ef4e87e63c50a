import type { Client } from '@reborn-agent/client';
import type { ChatAccepted } from '@reborn-agent/client/api';
import type { ReachedService } from '../connect/with-service.ts';
import { printJson, printJsonLine, printNotice, printPiece } from '../print.ts';
import { type Answer, followTurn } from './follow-turn.ts';

/** The exit codes besides 0 (answered) and 1 (failed). */
const WAITING = 3;
const CUT_SHORT = 4;
const INTERRUPTED = 130;

export type TellOptions = {
  /** Prints only the result, as JSON. */
  readonly json?: true;
  /** Prints each event instead, as a line of JSON. */
  readonly stream?: true;
};

/** Starts a turn and prints its answer on stdout, everything else on stderr. The exit code is the outcome. */
export async function tellTurn(
  { locate }: ReachedService,
  begin: (client: Client) => Promise<ChatAccepted>,
  { json, stream }: TellOptions,
): Promise<void> {
  const interrupted = new AbortController();
  process.once('SIGINT', () => interrupted.abort());
  const answer = await followTurn({
    locate,
    begin,
    write: json || stream ? () => {} : printPiece,
    onEvent: stream ? printJsonLine : () => {},
    signal: interrupted.signal,
    onLost: () => printNotice('reborn: the service is gone; waiting for it to come back.'),
  });
  if (json) printJson(answer);
  process.exitCode = tellOutcome(answer);
}

function tellOutcome({ status, failure, thread_id: thread }: Answer): number {
  switch (status) {
    case 'completed':
      return 0;
    case 'waiting':
      printNotice(
        `reborn: the turn waits for an answer. Give it with \`reborn --thread ${thread}\` or \`reborn gate\`.`,
      );
      return WAITING;
    case 'incomplete':
      printNotice("reborn: the answer was cut short by the model's limit.");
      return CUT_SHORT;
    case 'cancelled':
      printNotice('reborn: cancelled.');
      return INTERRUPTED;
    default:
      printNotice(`reborn: ${failure?.message ?? 'the turn failed.'}`);
      if (failure?.code === 'model_error') printNotice('`reborn doctor` checks the model and its address.');
      return 1;
  }
}
