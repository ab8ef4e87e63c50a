import type { ItemId } from '#domain/ids.ts';
import { type NewItem, text } from '#domain/thread/item.ts';
import type { NumberedEvent, TurnEvent } from '#domain/thread/turn-event.ts';

/** A message of the agent; empty, as it is added, without words. */
export const messageOf = (id: string, words = ''): NewItem => ({
  id: id as ItemId,
  type: 'message',
  role: 'assistant',
  content: words ? [text(words)] : [],
  status: 'completed',
});

export const deltaOf = (id: string, delta: string): TurnEvent => ({ type: 'text-delta', itemId: id as ItemId, delta });

/** The events of a message that is said word by word. */
export const eventsOfMessage = (id: string, words: string): TurnEvent[] => [
  { type: 'item-added', item: messageOf(id) },
  ...words.split(/(?<= )/).map((word) => deltaOf(id, word)),
  { type: 'item-done', item: messageOf(id, words), written: true },
];

export const numbered = (events: readonly TurnEvent[], first = 0): NumberedEvent[] =>
  events.map((event, index) => ({ sequence: first + index, event }));
