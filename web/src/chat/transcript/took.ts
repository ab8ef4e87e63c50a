import type { CallEntry, MessageEntry } from '@reborn-agent/client/turn-entries';
import type { TurnState } from '@reborn-agent/client/turn-state';

/** How long a turn took, and what its model calls used. */
export type Took = {
  readonly ms: number | undefined;
  /** Undefined if a price is unknown. */
  readonly usd: number | undefined;
  readonly tokens: number;
};

/** `before`: the turn before, which a queued message has waited for. Undefined while nothing is known. */
export function tookOf(turn: TurnState, before: TurnState | undefined): Took | undefined {
  const entries = turn.entries.filter((entry) => entry.kind !== 'pick-up');
  const usages = entries.flatMap(({ usage }) => usage ?? []);
  const end = lastAnswered(turn);
  const start = startOf(entries, turn, before);
  const ms = end !== undefined && start !== undefined && end >= start ? end - start : undefined;
  const costs = usages.map(({ cost_usd: usd }) => usd);
  const isPriced = costs.length > 0 && costs.every((usd) => usd !== null);
  if (usages.length === 0 && ms === undefined) return undefined;
  return {
    ms,
    usd: isPriced ? costs.reduce((sum, usd) => sum + Number(usd), 0) : undefined,
    tokens: usages.reduce((sum, { output_tokens: tokens }) => sum + tokens, 0),
  };
}

/** A turn begins with its message, or with the end of the turn before; after a gate, with the call that was allowed. */
function startOf(
  entries: readonly (MessageEntry | CallEntry)[],
  turn: TurnState,
  before: TurnState | undefined,
): number | undefined {
  const asked = entries.find((entry) => entry.kind === 'message' && entry.role === 'user');
  if (asked?.kind === 'message' && asked.at !== undefined)
    return Math.max(Date.parse(asked.at), (before && lastAnswered(before)) ?? 0);
  if (turn.startedAt !== undefined) return Date.parse(turn.startedAt);
  const allowed = before?.entries.findLast((entry) => entry.kind === 'call' && entry.startedAt !== undefined);
  return allowed?.kind === 'call' ? allowed.startedAt : undefined;
}

function lastAnswered({ entries }: TurnState): number | undefined {
  const said = entries.findLast(
    (entry) => entry.kind === 'message' && entry.role === 'assistant' && entry.at !== undefined,
  );
  return said?.kind === 'message' && said.at !== undefined ? Date.parse(said.at) : undefined;
}
