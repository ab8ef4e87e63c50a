import type { ThreadId } from '#domain/ids.ts';
import type { Principal } from '#domain/principal.ts';
import { type Database, withOwner } from '#store/connection.ts';
import { listTree, type TreeNode } from '#store/delegations/tree.ts';
import { listGatesOf } from '#store/threads/gates.ts';
import { findThread } from '#store/threads/thread-listings.ts';
import { type ShownGate, showGates } from '../gates/shown-gate.ts';
import { noThread } from './hold-thread.ts';

/** A child below a thread, and the gate that it waits at. */
export type ShownChild = TreeNode & { readonly gate: ShownGate | null };

/** The children below a thread, with the gates of the whole tree: those that every client shows in the thread at the top. */
export async function showTree(db: Database, owner: Principal, threadId: ThreadId): Promise<ShownChild[]> {
  const { nodes, open } = await withOwner(db, owner, async (trx) => {
    if (!(await findThread(trx, owner, threadId))) throw noThread();
    const found = await listTree(trx, owner, threadId);
    const unfinished = found.filter(({ state }) => state !== 'ended').map((node) => node.threadId);
    return { nodes: found, open: unfinished.length > 0 ? await listGatesOf(trx, owner, unfinished) : [] };
  });
  const gates = new Map((await showGates(db, open)).map((gate) => [gate.threadId, gate]));
  return nodes.map((node) => ({ ...node, gate: gates.get(node.threadId) ?? null }));
}
