import type { FailureDetails } from '#domain/failure/failure-details.ts';
import { AttachmentUnavailable } from '#domain/thread/attachment.ts';
import type { Failure, FailureCode, Turn, TurnOutcome } from '#domain/thread/turn.ts';
import type { RunTurn, TurnRun } from '#engine/running/turn-run.ts';
import { TurnStopped } from '#engine/running/turn-stopped.ts';
import type { TurnEnd } from '#engine/statements/settle.ts';
import { ModelFailure } from '#models/model.ts';
import { runCompaction } from '../compaction/run-compaction.ts';
import { outcomeOfCancel } from '../input/cancel-turn.ts';
import { BudgetExceeded } from '../spending/budget.ts';
import { AssistantMissing } from '../work/read-work.ts';
import { InvalidOutput } from './answer-format.ts';
import { type AttemptParts, createAttempt, type TurnAttempt } from './attempt.ts';
import { ToolFailure } from './call-tool.ts';
import { runTurn, STEERED } from './run-turn.ts';
import { type AttemptLog, NO_LOG } from './turn-log.ts';

/** What the engine runs: one attempt at a turn, and what must be written when it ends. */
export function createRunner(parts: AttemptParts): RunTurn {
  return async (turn, run) => {
    const log = (parts.log ?? NO_LOG).attempt(turn);
    const attempt = createAttempt(parts, turn, run, log);
    const early = endedBefore(turn, run);
    if (early && !attempt.gateAhead) await attempt.loadHistory(); // this turn must not close the calls of another turn's gate

    const work = () => (turn.request.task === 'compaction' ? runCompaction(attempt) : runTurn(attempt));
    const outcome = early ?? (await work().catch((error: unknown) => outcomeOf(error, run.signal)));
    if (outcome.status === 'parked') return { outcome };
    const end = endOf(attempt, outcome, log);
    if (outcome.status !== 'waiting') return end;
    const whenSteered = () => endOf(attempt, STEERED, log);
    return { ...end, whenSteered, whenCancelled: () => endOf(attempt, outcomeOfCancel('cancelled'), log) };
  };
}

function endOf(attempt: TurnAttempt, outcome: TurnOutcome, log: AttemptLog): TurnEnd {
  if (outcome.status === 'failed') attempt.close(`Not run: ${outcome.failure.message}`);
  if (outcome.status === 'cancelled') attempt.close('Not run: the turn was cancelled.');
  if (outcome.status === 'incomplete' && outcome.steered) attempt.close(NOT_STARTED, CUT_OFF);
  const end = attempt.end();
  const onWritten = () => {
    log.settled(outcome);
    end.onWritten?.();
  };
  return { outcome, ...end, onWritten };
}

const NOT_STARTED = 'Not run: the person sent a new message first.';
const CUT_OFF = 'interrupted: the person sent a new message while it ran, and the outcome is unknown';

/** The outcome of a claimed turn that must not run. */
function endedBefore(turn: Turn, { verdict }: TurnRun): TurnOutcome | undefined {
  if (turn.cancelReason) return outcomeOfCancel(turn.cancelReason);
  if (verdict === 'kills-its-host') return { status: 'failed', failure: POISONED };
  if (verdict === 'breaks') return { status: 'failed', failure: BROKEN };
  return undefined;
}

/** Expected errors become outcomes. Any other error is rethrown, and the engine starts the turn again. */
function outcomeOf(error: unknown, signal: AbortSignal): TurnOutcome {
  const stopped: unknown = signal.reason;
  if (stopped instanceof TurnStopped) {
    if (!stopped.closed) throw stopped;
    return stopped.closed === 'steered' ? STEERED : outcomeOfCancel(stopped.closed);
  }
  if (error instanceof ModelFailure) return failed(error.code, error);
  if (error instanceof InvalidOutput) return failed('invalid_output', error);
  if (error instanceof BudgetExceeded) return failed('budget_exceeded', error);
  if (error instanceof AttachmentUnavailable) return failed('attachment_unavailable', error);
  if (error instanceof ToolFailure) return failed('tool_error', error);
  if (error instanceof AssistantMissing) return failed('previous_response_not_found', error);
  throw error;
}

function failed(code: FailureCode, error: Error & { readonly details?: FailureDetails | undefined }): TurnOutcome {
  const { message, details } = error;
  return { status: 'failed', failure: { code, message, ...(details && { details }) } };
}

const POISONED: Failure = {
  code: 'interrupted',
  message: 'The turn was started at least three times, and each time the process that ran it died.',
};

const BROKEN: Failure = {
  code: 'internal_error',
  message: 'The service failed three times while it worked on this turn. Its log has the details.',
};
