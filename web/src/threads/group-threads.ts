import { t } from '@lingui/core/macro';
import type { Thread } from '@reborn-agent/client/api';

export type ThreadGroup = { readonly name: string; readonly threads: readonly Thread[] };

const DAY_MS = 86_400_000;

/** Pinned, today, yesterday, earlier; without those that are empty. */
export function groupThreads(threads: readonly Thread[], now: Date): ThreadGroup[] {
  const today = new Date(now.getFullYear(), now.getMonth(), now.getDate()).getTime();
  const yesterday = new Date(today - DAY_MS / 2).setHours(0, 0, 0, 0);
  const names = [t`Pinned`, t`Today`, t`Yesterday`, t`Earlier`];
  const groups = Map.groupBy(threads, (thread) => {
    if (thread.pinned) return names[0];
    const at = Date.parse(thread.updated_at);
    if (at >= today) return names[1];
    return at >= yesterday ? names[2] : names[3];
  });
  return names.flatMap((name) => {
    const own = groups.get(name);
    return own ? [{ name, threads: own }] : [];
  });
}
