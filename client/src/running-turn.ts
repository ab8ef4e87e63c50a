import type { QueuedTurn } from './api.ts';
import type { ThreadState } from './thread-state.ts';
import type { TurnState } from './turn-state.ts';

/** Whether a message waits until the person has answered the gate. */
export const waitsForAnswer = ({ gate }: Pick<ThreadState, 'gate'>): boolean =>
  gate !== undefined && gate.kind !== 'external-tool';

/** What a waiting message waits for: an answer of the person, the end of the present step, or the turns before it. */
export type WaitsFor = 'answer' | 'step' | 'turn';

/** A service of an older version does not say where a message is. */
export function waitsFor(state: Pick<ThreadState, 'gate'>, { placed }: Partial<Pick<QueuedTurn, 'placed'>>): WaitsFor {
  if (waitsForAnswer(state)) return 'answer';
  return placed?.type === 'steering' ? 'step' : 'turn';
}

/** The turn that is running. */
export function findRunningTurn(state: ThreadState): TurnState | undefined {
  return state.turns.findLast((turn) => turn.status === 'running');
}

/** The turn that a person can stop: the one that runs, or the one that waits for their answer. */
export function findStoppable(state: ThreadState): string | undefined {
  return findRunningTurn(state)?.id ?? (waitsForAnswer(state) ? state.gate?.turn_id : undefined);
}
