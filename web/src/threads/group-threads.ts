import { t } from '@lingui/core/macro';
import type { Thread } from '@reborn-agent/client/api';

export type ThreadGroup = { readonly name: string; readonly threads: readonly Thread[] };

/** Pinned, today, this week, earlier; without those that are empty. */
export function groupThreads(threads: readonly Thread[], now: Date): ThreadGroup[] {
  const today = new Date(now.getFullYear(), now.getMonth(), now.getDate()).getTime();
  const week = today - 6 * 86_400_000;
  const groups = Map.groupBy(threads, (thread) => {
    if (thread.pinned) return t`Pinned`;
    const at = Date.parse(thread.updated_at);
    if (at >= today) return t`Today`;
    return at >= week ? t`This week` : t`Earlier`;
  });
  return [t`Pinned`, t`Today`, t`This week`, t`Earlier`].flatMap((name) => {
    const own = groups.get(name);
    return own ? [{ name, threads: own }] : [];
  });
}
