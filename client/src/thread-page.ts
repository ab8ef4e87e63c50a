import type { ItemList } from './api.ts';
import { type ThreadState, withItems } from './thread-state.ts';
import type { TurnState } from './turn-state.ts';

/**
 * Adds a page of stored items with their versions. If it is the newest page and shows another line, turns that were known
 * `before` it was asked for and are not on it are hidden now, or further up.
 */
export function withPage(state: ThreadState, page: ItemList, before: readonly TurnState[] = state.turns): ThreadState {
  const { items, line } = page;
  const refused = new Set(page.refused);
  const steered = new Set(page.steered);
  const assistants = new Map(page.assistants?.map(({ turn_id: id, name }) => [id, name]));
  const markTurn = (turn: TurnState): TurnState => ({
    ...turn,
    isRefused: turn.isRefused || refused.has(turn.id),
    isSteered: turn.isSteered || steered.has(turn.id),
    assistant: assistants.get(turn.id) ?? turn.assistant,
  });
  const mark = (next: ThreadState): ThreadState =>
    refused.size + steered.size + assistants.size === 0 ? next : { ...next, turns: next.turns.map(markTurn) };
  const listed = new Set(items.map(({ turn_id: id }) => id));
  const versions = new Map(state.versions);
  for (const id of listed) versions.delete(id);
  for (const each of page.versions) versions.set(each.turn_id, each);
  if (line === state.line) return { ...mark(withItems(state, items)), versions };

  const known = new Set(before.map(({ id }) => id));
  const turns = state.turns.filter(({ id }) => listed.has(id) || !known.has(id));
  return { ...mark(withItems({ ...state, turns }, items)), versions, line };
}
