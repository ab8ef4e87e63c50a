import { type ItemId, newId } from '#domain/ids.ts';
import type { CitedSource } from '#domain/search/citations.ts';
import { markersIn } from '#domain/search/markers.ts';
import { type Item, type MessageBody, type NewItem, text } from '#domain/thread/item.ts';
import type { ReasoningSummary } from '#domain/thread/thoughts.ts';
import { contentOf, emptied, eventsOf, type TurnEvent } from '#domain/thread/turn-event.ts';

export type SpokenMessage = ReturnType<typeof createSpokenMessage>;

/** The message that the model is writing: streamed to watchers, and kept in case it breaks off. */
export function createSpokenMessage(emit: (event: TurnEvent) => void) {
  let current: { readonly id: ItemId; readonly reasoning: ReasoningSummary; said: string } | undefined;
  let reasoning: ReasoningSummary = [];
  let citable: readonly CitedSource[] = [];

  /** Watchers have seen the sources of these markers. */
  const citedIn = (said: string) => {
    const numbers = new Set(markersIn(said).map(({ number }) => number));
    const sources = citable.filter(({ number }) => numbers.has(number));
    return sources.length > 0 && { citations: { marks: [], sources } };
  };

  return {
    /** The reasoning before the message; watchers see it when the message starts. */
    reason: (summary: ReasoningSummary): void => void (reasoning = summary),
    /** What the next message may cite; watchers learn it when the message starts. */
    mayCite: (sources: readonly CitedSource[]): void => void (citable = sources),
    say(delta: string): void {
      if (!current) {
        current = { id: newId(), reasoning, said: '' };
        const begun = emptied(assistantMessage(current.id, '', 'completed', reasoning));
        const citations = citable.length > 0 && { citations: { marks: [], sources: citable } };
        emit({ type: 'item-added', item: { ...begun, ...citations } });
      }
      current.said += delta;
      emit({ type: 'text-delta', itemId: current.id, delta });
    },
    /** The id that watchers know, once the message has started. */
    id: (): ItemId | undefined => current?.id,
    half: (): NewItem | undefined =>
      current && {
        ...assistantMessage(current.id, current.said, 'incomplete', current.reasoning),
        ...citedIn(current.said),
      },
    /** Tells watchers of items, which they see only after they are written. They know the start of this message. */
    announce(items: readonly Item[]): void {
      for (const item of items.map(contentOf)) {
        if (item.id !== current?.id) {
          eventsOf(item).forEach(emit);
          continue;
        }
        current = undefined;
        emit({ type: 'item-done', item, written: true });
      }
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
