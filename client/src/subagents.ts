import type { OpenGate, TreeNode } from './api.ts';
import type { ThreadState } from './thread-state.ts';
import { waitsForSubagents } from './turn-entries.ts';

/** A subagent among those that a call has started. */
export type Subagent = TreeNode & {
  /** 0 for that of the call itself, 1 for those that it has started, and so on. */
  readonly level: number;
};

/** How it stands with a subagent, for every client to put into words. */
export type SubagentState = 'working' | 'waiting' | 'done' | 'incomplete' | 'failed' | 'stopped' | 'deleted';

/**
 * The subagent of a call, by the item of that call, and all below it, each after the one above it. For the same nodes it is the same list,
 * so that what shows it can tell whether it has changed.
 */
export function subagentsOf(nodes: readonly TreeNode[], call: string): readonly Subagent[] {
  const known = lists.get(nodes) ?? new Map<string, readonly Subagent[]>();
  lists.set(nodes, known);
  const list = known.get(call) ?? listFrom(nodes, call, 0);
  known.set(call, list);
  return list;
}

const lists = new WeakMap<readonly TreeNode[], Map<string, readonly Subagent[]>>();

const listFrom = (nodes: readonly TreeNode[], call: string, level: number): readonly Subagent[] =>
  nodes.flatMap((node) =>
    node.call === call ? [{ ...node, level }, ...listBelow(nodes, node.thread_id, level + 1)] : [],
  );

const listBelow = (nodes: readonly TreeNode[], parentId: string, level: number): readonly Subagent[] =>
  nodes.flatMap(({ call, parent_id: parent }) => (parent === parentId ? listFrom(nodes, call, level) : []));

export function stateOfSubagent({ state, outcome }: Pick<TreeNode, 'state' | 'outcome'>): SubagentState {
  if (state !== 'ended') return state === 'waiting' ? 'waiting' : 'working';
  switch (outcome) {
    case 'completed':
      return 'done';
    case 'cancelled':
      return 'stopped';
    case 'incomplete':
    case 'failed':
      return outcome;
    default:
      return 'deleted';
  }
}

/** What subagents wait for that a person can answer. */
export const gatesOfSubagents = (nodes: readonly Pick<TreeNode, 'gate'>[]): OpenGate[] =>
  nodes.flatMap(({ gate }) => (gate && gate.kind !== 'external-tool' ? [gate] : []));

/** All that a thread waits for: its own gate, and those of the subagents below it. */
export const openGatesOf = ({ gate, subagents }: Pick<ThreadState, 'gate' | 'subagents'>): OpenGate[] => [
  ...(gate ? [gate] : []),
  ...gatesOfSubagents(subagents),
];

/** Which subagent a gate belongs to: its task, after those of the subagents above it. */
export const askerOf = ({ path = [] }: Pick<OpenGate, 'path'>): string | undefined =>
  path.length > 1 ? path.slice(1).join(' › ') : undefined;

/** Whether the thread, as far as it is loaded, has started subagents. */
export const hasSubagents = ({ turns }: Pick<ThreadState, 'turns'>): boolean =>
  turns.some(({ entries }) => entries.some(waitsForSubagents));
