import { firstSequence, type NumberedEvent, type TurnEvent } from '#domain/thread/turn-event.ts';

/** The numbers that are kept for the ends of items and of the turn. */
const RESERVED = 10_000;

/**
 * Numbers the events of an attempt, and never reaches the numbers of the next attempt. When few are left, the text of an item
 * comes in one piece, at its end, and progress is left out.
 */
export function numberEvents(attempt: number, send: (event: NumberedEvent) => void): (event: TurnEvent) => void {
  let sequence = firstSequence(attempt);
  const end = firstSequence(attempt + 1);
  let held: Extract<TurnEvent, { type: 'text-delta' }> | undefined;

  const number = (event: TurnEvent): void => {
    if (sequence < end) send({ sequence: sequence++, event });
  };
  return (event) => {
    const isShort = end - sequence <= RESERVED;
    if (isShort && event.type === 'tool-progress') return;
    if (isShort && event.type === 'text-delta') {
      held = { ...event, delta: (held?.delta ?? '') + event.delta };
      return;
    }
    if (held) number(held);
    held = undefined;
    number(event);
  };
}
