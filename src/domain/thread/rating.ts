import type { ThreadId, TurnId } from '../ids.ts';
import type { UserId } from '../principal.ts';

/** What a person thinks of the answer of a turn. */
export type Rating = {
  readonly turnId: TurnId;
  readonly rating: 'good' | 'bad';
  /** Why, in the person's words. */
  readonly reason: string | null;
  readonly updatedAt: Date;
};

/** A rating as operators see it: without the words of the thread, unless they are its title. */
export type ListedRating = Rating & {
  readonly userId: UserId;
  readonly threadId: ThreadId;
  /** The title that its owner or a model gave it; null without one, since the first message is for its owner only. */
  readonly title: string | null;
  /** The model that answered, if it is known. */
  readonly model: string | null;
};
