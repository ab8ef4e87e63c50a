import type { Attachment } from './attachments.ts';

/** A message that the service has not accepted yet. Each try has the same `key`, so that it is accepted once. */
export type Unsent = {
  readonly key: string;
  readonly message: string;
  readonly model?: string | undefined;
  readonly assistant?: string | null | undefined;
  readonly attachments?: readonly Attachment[];
  /** Whether the web may be searched. */
  readonly web?: boolean;
  /** The running step is stopped. */
  readonly now?: boolean;
};

const PREFIX = 'reborn.unsent.';

/** How many messages wait to be sent, in all threads. */
export const countUnsent = (storage: Pick<Storage, 'getItem' | 'key' | 'length'>): number =>
  Array.from({ length: storage.length }, (_, index) => storage.key(index))
    .filter((key) => key?.startsWith(PREFIX))
    .reduce((total, key) => total + (JSON.parse(storage.getItem(key ?? '') ?? '[]') as readonly Unsent[]).length, 0);

/**
 * The messages of a thread that the service has not accepted yet. They are sent one after the other, and survive a reload of the
 * page, except for those with files, which the storage of a browser has no room for.
 */
export function createUnsent(options: {
  readonly thread: string;
  readonly storage: Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>;
  /** Resolves when the service has accepted the message. */
  readonly send: (unsent: Unsent) => Promise<{ readonly turn_id: string }>;
  /** Resolves when the thread shows the message itself. */
  readonly shown: (turnId: string) => Promise<void>;
}) {
  const { thread, storage, send, shown } = options;
  const item = PREFIX + thread;
  const listeners = new Set<() => void>();
  let all = JSON.parse(storage.getItem(item) ?? '[]') as readonly Unsent[];
  let last: Promise<unknown> = Promise.resolve();

  function change(next: readonly Unsent[]): void {
    all = next;
    const kept = all.filter(({ attachments = [] }) => attachments.length === 0);
    if (kept.length === 0) storage.removeItem(item);
    else storage.setItem(item, JSON.stringify(kept));
    for (const listener of listeners) listener();
  }

  async function deliver(unsent: Unsent): Promise<void> {
    const sending = last.then(() => send(unsent));
    last = sending.catch(() => {});
    try {
      await shown((await sending).turn_id);
    } finally {
      change(all.filter(({ key }) => key !== unsent.key));
    }
  }

  return {
    list: (): readonly Unsent[] => all,
    subscribe: (listener: () => void): (() => void) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    /** Resolves when the thread shows the message; rejects when the service refuses it. */
    add: (unsent: Unsent): Promise<void> => {
      change([...all, unsent]);
      return deliver(unsent);
    },
    /** Sends what was left when the page was closed. Calls `onRefused` for each message that the service refuses. */
    resume(onRefused: (unsent: Unsent) => void): void {
      for (const unsent of all) void deliver(unsent).catch(() => onRefused(unsent));
    },
  };
}
