import type { TurnVersions } from '@reborn-agent/client/api';
import type { ThreadState } from '@reborn-agent/client/thread-state';
import type { MessageEntry } from '@reborn-agent/client/turn-entries';

/** Where a message is among its versions, such as `2/3`, and the turns that show the ones beside it. */
export type VersionPosition = {
  readonly version: string;
  readonly previous: string | null;
  readonly next: string | null;
};

/**
 * The positions by the id of the message: of what was asked, at the last message of a turn's input, and of the answers to
 * it, at the last of them, which a later turn may have given.
 */
export function placeVersions({ turns, versions }: ThreadState): ReadonlyMap<string, VersionPosition> {
  const placed = new Map<string, VersionPosition>();
  if (versions.size === 0) return placed;
  const messages = turns.flatMap(({ id: turnId, entries }) =>
    entries.filter(isSaid).map(({ id, role }) => ({ id, role, turnId })),
  );
  for (const [index, { id, role, turnId }] of messages.entries()) {
    const found = role === 'user' ? versions.get(turnId) : undefined;
    const rest = messages.slice(index + 1);
    const nextAsked = rest.findIndex((message) => message.role === 'user');
    if (!found || rest[nextAsked]?.turnId === turnId) continue;
    const answer = rest.slice(0, nextAsked < 0 ? undefined : nextAsked).at(-1);
    if (answer && found.answer) placed.set(answer.id, toPosition(found.answer));
    const own = found.message ?? (answer ? null : found.answer);
    if (own) placed.set(id, toPosition(own));
  }
  return placed;
}

const isSaid = (entry: { readonly kind: string }): entry is MessageEntry =>
  entry.kind === 'message' && isShown(entry as MessageEntry);

const isShown = ({ role, text, state }: MessageEntry) =>
  role === 'user' || (role === 'assistant' && (text !== '' || state === 'streaming'));

const toPosition = ({ number, count, previous, next }: NonNullable<TurnVersions['message']>): VersionPosition => ({
  version: `${number}/${count}`,
  previous,
  next,
});
