import { type ItemId, newId } from '#domain/ids.ts';
import { type MessageBody, type NewItem, text } from '#domain/thread/item.ts';
import type { ReasoningSummary } from '#domain/thread/thoughts.ts';
import { emptied, type TurnEvent } from '#domain/thread/turn-event.ts';

/** The message that the model is writing: streamed to watchers, and kept in case it breaks off. */
export function createSpokenMessage(emit: (event: TurnEvent) => void) {
  let current: { readonly id: ItemId; readonly reasoning: ReasoningSummary; said: string } | undefined;
  let reasoning: ReasoningSummary = [];

  return {
    /** The reasoning before the message; watchers see it when the message starts. */
    reason: (summary: ReasoningSummary): void => void (reasoning = summary),
    say(delta: string): void {
      if (!current) {
        current = { id: newId(), reasoning, said: '' };
        emit({ type: 'item-added', item: emptied(assistantMessage(current.id, '', 'completed', reasoning)) });
      }
      current.said += delta;
      emit({ type: 'text-delta', itemId: current.id, delta });
    },
    /** The id that watchers know, once the message has started. */
    id: (): ItemId | undefined => current?.id,
    half: (): NewItem | undefined =>
      current && assistantMessage(current.id, current.said, 'incomplete', current.reasoning),
    /** Announces that the message is stored. Returns whether `item` is that message. */
    finish(item: NewItem): boolean {
      if (item.id !== current?.id) return false;
      current = undefined;
      emit({ type: 'item-done', item, written: true });
      return true;
    },
  };
}

export function assistantMessage(
  id: ItemId,
  said: string,
  status: MessageBody['status'],
  reasoning: ReasoningSummary,
): NewItem {
  const body = { type: 'message', role: 'assistant', content: [text(said)], status } as const;
  return { id, ...body, ...(reasoning.length > 0 && { reasoning }) };
}
