import { createHash } from 'node:crypto';
import type { ThreadId, WorkspaceId } from '../ids.ts';

/** A workspace as callers of the API see it: one that they made, or a thread's. */
export type Container = {
  readonly id: WorkspaceId;
  /** null for a thread's own. */
  readonly name: string | null;
  readonly threadId: ThreadId | null;
  /** It is deleted so long after it was last used; null: never. */
  readonly expiresMinutes: number | null;
  readonly lastActiveAt: Date;
  readonly createdAt: Date;
};

/** The same file has the same digits in all versions, and none in another container. */
export const fileDigits = (container: WorkspaceId, path: string): string =>
  createHash('sha256').update(`${container}\0${path}`).digest('hex').slice(0, 32);
