import type { ItemId } from '#domain/ids.ts';
import type { TimedItem } from '#domain/thread/item.ts';
import { isEnded, type Turn } from '#domain/thread/turn.ts';
import type { TurnSpan } from '#domain/trace/turn-span.ts';
import type { AttemptTrace } from '#engine/statements/turn-trace.ts';
import type { TimedGate } from '#store/threads/turn-details.ts';

/** When each part of a turn started and ended, according to its rows and the event log. */
export function spansOf(
  turn: Turn,
  startedAt: Date | null,
  items: readonly TimedItem[],
  trace: readonly AttemptTrace[],
  gate: TimedGate | undefined,
): TurnSpan[] {
  const made = items.filter((item) => item.attempt !== null);
  const attempts = attemptsOf(turn, startedAt, made, trace);
  return [
    span('wait', 'in the queue', null, turn.createdAt, startedAt ?? turn.endedAt),
    ...attempts,
    ...modelCalls(turn, made, attempts),
    ...trace.flatMap(retriesOf),
    ...items.flatMap((item) => (item.type === 'function_call' && item.startedAt ? [toolCall(item)] : [])),
    ...(gate ? [span('gate', gate.call.name, null, gate.createdAt, gate.answeredAt)] : []),
  ];
}

function attemptsOf(
  turn: Turn,
  startedAt: Date | null,
  made: readonly TimedItem[],
  trace: readonly AttemptTrace[],
): TurnSpan[] {
  return Array.from({ length: turn.attempt + 1 }, (_, attempt) => {
    const written = made.filter((item) => item.attempt === attempt).map((item) => item.createdAt);
    const told = trace.filter((entry) => entry.attempt === attempt);
    const seen = [...written, ...told.flatMap(({ firstAt, lastAt }) => [firstAt, lastAt])].toSorted(byTime);
    const begun = attempt === 0 ? startedAt : (seen[0] ?? null);
    const isLast = attempt === turn.attempt;
    const ended = isLast ? turn.endedAt : (seen.at(-1) ?? begun);
    return span('attempt', `attempt ${attempt + 1}`, attempt, begun, ended);
  });
}

/** The first item of each answer has its usage; the model was asked when the item before it stood, or the attempt began. */
function modelCalls(turn: Turn, made: readonly TimedItem[], attempts: readonly TurnSpan[]): TurnSpan[] {
  const calls = made.flatMap((item, index) => {
    if (item.usage === null) return [];
    const begun = attempts.find(({ attempt }) => attempt === item.attempt)?.startedAt ?? null;
    const before = made[index - 1]?.createdAt ?? null;
    const startedAt = latest(begun, before);
    const answer = made.filter(({ createdAt }) => createdAt.getTime() === item.createdAt.getTime());
    const ids = answer.map(({ id }) => id);
    return [{ ...span('model', 'model', item.attempt, startedAt, item.createdAt, ids), usage: item.usage }];
  });
  const last = made.at(-1);
  const isAsking = turn.status === 'running' && (!last || last.type === 'function_call_output');
  const begun = latest(attempts.at(-1)?.startedAt ?? null, last?.createdAt ?? null);
  return isAsking && !isEnded(turn) ? [...calls, span('model', 'model', turn.attempt, begun, null)] : calls;
}

/** The waits after failed model calls. The log forgets them after an hour. */
function retriesOf({ attempt, events }: AttemptTrace): TurnSpan[] {
  return events.flatMap((event) => {
    if (event.type !== 'model-failed') return [];
    const failedAt = new Date(event.failedAt);
    const next = event.next === event.model ? 'Asked again' : `Asked ${event.next} instead`;
    const label = `${event.model}: ${event.message} ${next}.`;
    return [span('retry', label, attempt, failedAt, new Date(failedAt.getTime() + event.waitMs))];
  });
}

function toolCall(item: Extract<TimedItem, { type: 'function_call' }>): TurnSpan {
  return span('tool', item.name, item.attempt, item.startedAt, item.endedAt, [item.id]);
}

function span(
  kind: TurnSpan['kind'],
  label: string,
  attempt: number | null,
  startedAt: Date | null,
  endedAt: Date | null,
  itemIds: readonly ItemId[] = [],
): TurnSpan {
  return { kind, label, attempt, startedAt, endedAt, itemIds, usage: null };
}

const byTime = (a: Date, b: Date) => a.getTime() - b.getTime();

const latest = (a: Date | null, b: Date | null) => (a && b ? (byTime(a, b) > 0 ? a : b) : (a ?? b));
