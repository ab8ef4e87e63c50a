import { type Client, createClient } from '@reborn-agent/client';
import type { ChatAccepted, OpenGate, TurnEvent } from '@reborn-agent/client/api';
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
  /** The model route that answers; null for the default, undefined if it is not known. */
  readonly route?: string | null | undefined;
  /** Called with each gate that a subagent waits at. Without it, a notice says how to answer. */
  readonly onGateBelow?: (gate: OpenGate) => void;
};

/** Starts a turn and prints its answer on stdout, everything else on stderr. The exit code is the outcome. */
export async function tellTurn(service: ReachedService, begin: Begin, options: TellOptions): Promise<void> {
  const { json, route } = options;
  const answer = await printTurn(service, begin, options);
  if (json) printJson(answer);
  process.exitCode = tellOutcome(answer);
  if (ABOUT_ADDRESS.test(answer.failure?.message ?? ''))
    printNotice(await adviseOn(createClient(service.locate), route));
}

type Begin = (client: Client) => Promise<ChatAccepted>;

type PrintOptions = Pick<TellOptions, 'json' | 'stream' | 'onGateBelow'> & {
  readonly write?: (text: string) => void;
  readonly onEvent?: (event: TurnEvent) => void;
};

/** Starts a turn and prints its answer as it comes, or its events. Ctrl+C cancels it. */
export async function printTurn(
  { locate }: ReachedService,
  begin: Begin,
  { json, stream, write = printPiece, onEvent, onGateBelow = tellGate }: PrintOptions = {},
): Promise<Answer> {
  const interrupted = new AbortController();
  const interrupt = () => interrupted.abort();
  process.once('SIGINT', interrupt);
  try {
    return await followTurn({
      locate,
      begin,
      write: json || stream ? () => {} : write,
      onEvent(message) {
        onEvent?.(message.event);
        if (message.event.type === 'model-failed') tellRetry(message.event);
        if (stream) printJsonLine(message);
      },
      signal: interrupted.signal,
      onLost: () => printNotice('reborn: the service is gone; waiting for it to come back.'),
      onGateAhead: (thread) =>
        printNotice(
          `reborn: the thread waits for an answer, and the message is read after it. Give it with \`reborn --thread ${thread}\` or \`reborn gate\`.`,
        ),
      onGateBelow,
    });
  } finally {
    process.off('SIGINT', interrupt);
  }
}

const tellGate = ({ id }: OpenGate) =>
  printNotice(`reborn: a subagent waits for an answer. Give it with \`reborn gate answer ${id}\`.`);

/** Failures of a model that a wrong address, key or name can explain: not that the message is too long for it. */
const ABOUT_ADDRESS = /^The model(?: could not be reached|'s answer could not be read| answered (?:4(?!00|13)|5)\d\d)/;

/** The answer comes late, so the person should know why. */
function tellRetry({ message, model, next, wait_ms: ms }: Extract<TurnEvent, { type: 'model-failed' }>): void {
  printNotice(`reborn: ${message} ${next === model ? 'Trying again' : `Asking ${next}`} in ${Math.ceil(ms / 1000)} s.`);
}

/** The address is given if it is certain which model was asked, and to operators alone. */
async function adviseOn(client: Client, route: TellOptions['route']): Promise<string> {
  const settings = route === undefined ? undefined : await client.call('GET /api/settings').catch(() => undefined);
  const name = route ?? settings?.default_route ?? '';
  const { base_url: url, fallback } = settings?.model_routes[name] ?? settings?.default_model ?? {};
  return url && !fallback?.length
    ? `The address is ${url}. \`reborn doctor\` checks it.`
    : '`reborn doctor` checks the model and its address.';
}

/** Says how a turn ended if that is not clear from its answer; the exit code. */
export function tellOutcome({ status, failure, thread_id: thread }: Answer): number {
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
      return 1;
  }
}
