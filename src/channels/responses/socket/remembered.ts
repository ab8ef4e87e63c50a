import type { UserId } from '#domain/principal.ts';
import type { NewItem } from '#domain/thread/item.ts';
import type { ToolDefinition } from '#domain/tool/tool.ts';

/** The history of the newest response that was not stored. Only its socket can continue it. */
export type Remembered = {
  readonly responseId: string;
  readonly items: readonly NewItem[];
  /** The call that the response returned, if it did. */
  readonly callId: string | undefined;
  /** The caller's tools, for an answer that declares none. */
  readonly tools: readonly ToolDefinition[];
};

/** The largest history of one socket. */
export const MAX_REMEMBERED_BYTES = 14 * 1024 * 1024;
/** The histories of all sockets of one user, so that many sockets don't use up the memory of the process. */
const MAX_BYTES_PER_USER = 4 * MAX_REMEMBERED_BYTES;

export type Memory = ReturnType<typeof createMemory>;

/** Makes the memories of sockets, each with room for one response. */
export function createMemory(maxBytesPerUser = MAX_BYTES_PER_USER) {
  const used = new Map<UserId, number>();

  return (userId: UserId) => {
    let present: Remembered | undefined;
    let bytes = 0;

    function forget(): void {
      const left = (used.get(userId) ?? 0) - bytes;
      if (left > 0) used.set(userId, left);
      else used.delete(userId);
      present = undefined;
      bytes = 0;
    }

    return {
      find: (responseId: unknown): Remembered | undefined => (present?.responseId === responseId ? present : undefined),
      /** Replaces what is remembered. Without room for it, nothing is remembered, and the client sends its history. */
      replace(next: Remembered | undefined): void {
        forget();
        if (!next) return;
        const size = Buffer.byteLength(JSON.stringify(next.items));
        const total = (used.get(userId) ?? 0) + size;
        if (size > MAX_REMEMBERED_BYTES || total > maxBytesPerUser) return;
        used.set(userId, total);
        present = next;
        bytes = size;
      },
      forget,
    };
  };
}
