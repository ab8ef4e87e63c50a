import type { z } from 'zod';
import type { ThreadSummary } from '#domain/thread/thread.ts';
import { renderUsage } from './render-item.ts';
import type { wireThread } from './wire-threads.ts';

export function renderThread(thread: ThreadSummary): z.infer<typeof wireThread> {
  const { id, title, opening, pinned, archived, status, preview } = thread;
  return {
    id,
    title: title ?? opening,
    renamed: title !== null,
    pinned,
    archived,
    status,
    preview,
    usage: renderUsage(thread.usage),
    created_at: thread.createdAt.toISOString(),
    updated_at: thread.updatedAt.toISOString(),
  };
}
