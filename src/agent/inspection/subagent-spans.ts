import type { ThreadId } from '#domain/ids.ts';
import type { TimedItem } from '#domain/thread/item.ts';
import type { Turn } from '#domain/thread/turn.ts';
import type { TurnSpan } from '#domain/trace/turn-span.ts';
import type { Engine } from '#engine/engine.ts';
import { type Database, type Owner, withOwner } from '#store/connection.ts';
import { listTree, type TreeNode } from '#store/delegations/tree.ts';
import { listTurnsFrom } from '#store/threads/turns.ts';
import { readSpans } from './read-spans.ts';

/** A subagent of a turn's call, or one below it, and what its turns did when. */
export type SubagentSpans = Pick<TreeNode, 'call' | 'threadId' | 'task'> & {
  /** 1 for those of the turn's own calls. */
  readonly level: number;
  readonly spans: readonly TurnSpan[];
};

/** The subagents of the calls of a turn, each after the one above it. A turn without any costs no statement. */
export async function readSubagentSpans(
  db: Database,
  engine: Engine,
  owner: Owner,
  { turn, items }: { readonly turn: Turn; readonly items: readonly TimedItem[] },
): Promise<SubagentSpans[]> {
  if (!turn.tree) return [];
  const calls = new Set(items.map(({ id }) => id));
  const nodes = await withOwner(db, owner, (trx) => listTree(trx, owner, turn.threadId));
  const levels = new Map<ThreadId, number>();
  const found: SubagentSpans[] = [];
  for (const { call, threadId, parentId, task } of nodes) {
    const level = calls.has(call) ? 1 : (levels.get(parentId) ?? 0) + 1;
    if (level === 1 && !calls.has(call)) continue; // of another turn
    levels.set(threadId, level);
    found.push({ call, threadId, task, level, spans: await spansOfThread(db, engine, owner, threadId) });
  }
  return found;
}

async function spansOfThread(db: Database, engine: Engine, owner: Owner, threadId: ThreadId): Promise<TurnSpan[]> {
  const listed = await withOwner(db, owner, (trx) => listTurnsFrom(trx, owner, threadId, 0));
  const read = await Promise.all((listed?.turns ?? []).map((turn) => readSpans(db, engine, turn)));
  return read.flatMap((each) => each?.spans ?? []);
}
