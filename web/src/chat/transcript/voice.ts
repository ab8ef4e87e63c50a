import type { ThreadState } from '@reborn-agent/client/thread-state';
import type { TurnState } from '@reborn-agent/client/turn-state';

/** Who speaks in a row, in a thread where an assistant has answered; undefined where only the usual agent speaks. */
export type Voice = string | undefined;

/** What the usual agent is called. */
export const AGENT = 'Reborn';

export function voiceOf({ turns }: Pick<ThreadState, 'turns'>, { assistant }: Pick<TurnState, 'assistant'>): Voice {
  return assistant ?? (turns.some((turn) => turn.assistant !== undefined) ? AGENT : undefined);
}
