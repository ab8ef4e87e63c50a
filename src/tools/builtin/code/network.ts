import type { Duplex } from 'node:stream';
import type { ThreadId, WorkspaceId } from '#domain/ids.ts';
import type { Egress } from '#egress/egress.ts';
import { createTunnel } from '#egress/tunnel.ts';
import { recordAudit } from '#store/audit.ts';
import { type Database, type Owner, withOwner } from '#store/connection.ts';
import { hasNetwork } from '#store/threads/threads.ts';

/** The hosts that code can reach, in threads whose owner allows it. */
export type CodeNetwork = {
  readonly hosts: readonly string[];
  isAllowed(owner: Owner, thread: ThreadId): Promise<boolean>;
  /** For one call. */
  open(owner: Owner, workspace: WorkspaceId): Promise<CallNetwork>;
};

export type CallNetwork = { readonly accept: (connection: Duplex) => void; close(): Promise<void> };

/**
 * The audit log says that a call had network before it has any, so that a crash can't hide it, and afterwards what it has reached and
 * tried to reach. Undefined without hosts: then no code has network.
 */
export function createCodeNetwork(
  db: Database,
  egress: Pick<Egress, 'connectByName'>,
  hosts: readonly string[],
): CodeNetwork | undefined {
  if (hosts.length === 0) return undefined;
  return {
    hosts,
    isAllowed: (owner, thread) => withOwner(db, owner, (trx) => hasNetwork(trx, owner, thread)),
    async open({ userId: actor }, subject) {
      await recordAudit(db, { actor, action: 'network.open', subject, detail: { hosts } });
      const tunnel = createTunnel({ egress, hosts });
      return {
        accept: tunnel.accept,
        close: async () => recordAudit(db, { actor, action: 'network.use', subject, detail: await tunnel.close() }),
      };
    },
  };
}
