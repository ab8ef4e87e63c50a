import type { ReplicaId } from '#domain/ids.ts';
import type { ModelCall } from '#domain/spending.ts';
import { storedHashesOf } from '#domain/thread/attachment.ts';
import type { WrittenItem } from '#domain/thread/item.ts';
import type { Turn } from '#domain/thread/turn.ts';
import type { EnginePool } from '../engine-connection.ts';
import { useParameters, writeUses } from './attachment-uses.ts';
import { textParameters, writeTexts } from './said-texts.ts';

/** The items a running turn has made, to be written from `position` on, and the model call to be counted. */
export type Appending = {
  readonly turn: Turn;
  readonly position: number;
  readonly items: readonly WrittenItem[];
  readonly call: ModelCall | null;
  /** For a call without items: the same in each send, so that the call is counted once. */
  readonly callId?: string | undefined;
};

/** `busy`: the turn's row is locked; retry. `lost`: another attempt has taken over. */
export type AppendOutcome = 'written' | 'busy' | 'lost';

/**
 * Writes items of several turns in one statement: all items of a turn or none, and only if its attempt still runs here
 * and `position` is the next one in the table. Items and calls sent twice are written and counted once.
 */
export async function appendItems(
  pool: EnginePool,
  self: ReplicaId,
  batch: readonly Appending[],
): Promise<AppendOutcome[]> {
  const said = batch.map(({ turn, items }) => ({ threadId: turn.threadId, userId: turn.userId, items }));
  const uses = batch.some(({ items }) => items.some((item) => storedHashesOf(item).length > 0));
  const { rows } = await pool.query<{ entry: number; outcome: AppendOutcome }>(uses ? APPEND_WITH_FILES : APPEND, [
    self,
    batch.map(({ turn }) => turn.id),
    batch.map(({ turn }) => turn.attempt),
    batch.map(({ position }) => position),
    ...itemParameters(batch),
    ...callParameters(batch.map(({ call }) => (call ? [call] : []))),
    batch.map(({ callId }) => callId ?? null),
    ...textParameters(said),
    ...(uses ? useParameters(said) : []),
  ]);
  const outcomes = new Map(rows.map(({ entry, outcome }) => [entry, outcome]));
  return batch.map((_, index) => outcomes.get(index + 1) ?? 'lost');
}

const WRITE = `
  with done as materialized (select entry, outcome from append_items(${parameters(20)})), ${writeTexts(20, ['written'])}`;
const APPEND = `${WRITE} select entry, outcome from done`;
/** Few outputs of tools have files. `$2` are the turns. */
const APPEND_WITH_FILES = `${WRITE},
  ${writeUses(26, ['written'], '(select turns.thread_id from turns where turns.id = ($2::uuid[])[u.entry])')}
  select entry, outcome from done`;

/** `$1, $2, …` */
export function parameters(count: number): string {
  return Array.from({ length: count }, (_, index) => `$${index + 1}`).join(', ');
}

/** The items of a batch as the array parameters of the functions: entry, position, id, body, usage, started. */
export function itemParameters(
  batch: readonly { readonly position: number; readonly items: readonly WrittenItem[] }[],
): unknown[] {
  const rows = batch.flatMap(({ position, items }, index) =>
    items.map((item, offset) => ({ entry: index + 1, position: position + offset, item })),
  );
  return [
    rows.map(({ entry }) => entry),
    rows.map(({ position }) => position),
    rows.map(({ item }) => item.id),
    rows.map(({ item }) => bodyOf(item)),
    rows.map(({ item }) => item.usage && JSON.stringify(item.usage)),
    rows.map(({ item }) => item.started),
  ];
}

const bodies = new WeakMap<WrittenItem, string>();

/**
 * An item's body as stored; serialized once, for writing and measuring. A text, not JSON inside JSON, because PostgreSQL
 * can't extract values from JSON that contains \u0000.
 */
export function bodyOf(item: WrittenItem): string {
  const known = bodies.get(item);
  if (known !== undefined) return known;
  const body = JSON.stringify({ ...item, id: undefined, usage: undefined, started: undefined });
  bodies.set(item, body);
  return body;
}

/** The model calls of each entry of a batch, as the array parameters of the functions. */
export function callParameters(callsOfEntries: readonly (readonly ModelCall[])[]): unknown[] {
  const rows = callsOfEntries.flatMap((calls, index) => calls.map((call) => ({ entry: index + 1, call })));
  return [
    rows.map(({ entry }) => entry),
    rows.map(({ call }) => call.provider),
    rows.map(({ call }) => call.model),
    rows.map(({ call }) => call.failed),
    rows.map(({ call }) => call.usage.inputTokens),
    rows.map(({ call }) => call.usage.cachedInputTokens),
    rows.map(({ call }) => call.usage.outputTokens),
    rows.map(({ call: { usage } }) => usage.cost && usage.cost.inputUsd + usage.cost.outputUsd),
    rows.map(({ call }) => Math.round(call.milliseconds)),
  ];
}
