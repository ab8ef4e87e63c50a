import { NotFound } from '#domain/errors.ts';
import type { ReplicaId, TurnId } from '#domain/ids.ts';
import type { Principal } from '#domain/principal.ts';
import type { WebCount, WebUse } from '#domain/search/web-use.ts';
import { firstWords } from '#domain/text/first-words.ts';
import { type ContentPart, type FunctionCallItem, type TimedItem, textOf } from '#domain/thread/item.ts';
import type { MadeSummary } from '#domain/thread/summary.ts';
import type { Turn } from '#domain/thread/turn.ts';
import type { AllowedBy } from '#domain/tool/allowed-by.ts';
import { callsOf } from '#domain/tool/gate.ts';
import type { ReadSoFar } from '#domain/tool/read-so-far.ts';
import { WEB_FETCH, WEB_SEARCH } from '#domain/tool/reserved-names.ts';
import type { TurnSpan } from '#domain/trace/turn-span.ts';
import type { TurnProject } from '#domain/work/project.ts';
import { workspaceOfTurn } from '#domain/workspace/version.ts';
import type { Engine } from '#engine/engine.ts';
import type { AttemptTrace } from '#engine/statements/turn-trace.ts';
import type { Prompt } from '#models/model.ts';
import { type Database, type OwnedTransaction, type Owner, withOwner } from '#store/connection.ts';
import { readWebUse } from '#store/spending/web-use.ts';
import { findSummary } from '#store/threads/summaries.ts';
import { listHistory, listItemsOfTurn } from '#store/threads/thread-items.ts';
import { findTimedGate, findTurnTimes, type TimedGate } from '#store/threads/turn-details.ts';
import { findTurn } from '#store/threads/turns.ts';
import type { ToolRegistry } from '#tools/registry.ts';
import { readBefore } from '../gates/read-so-far.ts';
import { recentItems } from '../prompt/history.ts';
import { foreignInstructions } from '../prompt/project-block.ts';
import { buildPrompt } from '../prompt/prompt.ts';
import { readPromptSetting, type SettingParts } from '../prompt/prompt-setting.ts';
import { limitTools } from '../work/limit-tools.ts';
import { readWork } from '../work/read-work.ts';
import { readSubagentSpans, type SubagentSpans } from './subagent-spans.ts';
import { spansOf } from './turn-spans.ts';

/** Everything known about a turn. */
export type Inspection = {
  readonly turn: Turn;
  readonly startedAt: Date | null;
  readonly runner: ReplicaId | null;
  readonly items: readonly TimedItem[];
  readonly gate: TimedGate | undefined;
  readonly spans: readonly TurnSpan[];
  /** What the subagents of its calls did, and those below them. */
  readonly subagents: readonly SubagentSpans[];
  /** The prompt of its newest model call, rebuilt from the stored items and the current tools. */
  readonly prompt: Prompt<ContentPart>;
  /** The summary in that prompt, which replaces older items. */
  readonly summary: MadeSummary | undefined;
  /** What the model had read when it made each of the turn's calls, as the items are now, and what let it run. */
  readonly judged: readonly JudgedCall[];
  /** The project of the thread as it is now, and what it adds to the prompt. */
  readonly project: { readonly of: TurnProject; readonly text: string } | undefined;
  /** What was searched and opened. */
  readonly web: WebUse & { readonly ofTurn: WebCount };
  /** The message that ended it early, and how long it had waited for that. */
  readonly steered: { readonly by: TurnId; readonly message: string; readonly waitedMs: number } | undefined;
  /** Text of attempts that crashed before they wrote it. */
  readonly superseded: readonly { readonly attempt: number; readonly text: string }[];
};

type JudgedCall = {
  readonly callId: string;
  readonly read: Pick<ReadSoFar, 'situation' | 'sources'>;
  readonly allowedBy: AllowedBy | undefined;
  /** Which layers of the sandbox held, if it ran code. */
  readonly layers: readonly string[] | undefined;
};

export type InspectTurn = (owner: Principal, id: TurnId) => Promise<Inspection>;

export function createInspectTurn(
  parts: SettingParts & { db: Database; engine: Engine; tools: ToolRegistry },
): InspectTurn {
  const { db, engine, tools } = parts;
  return async (owner, id) => {
    const { turn, times, history, answer, summary, gate, web, steered } = await withOwner(db, owner, async (trx) => {
      const found = await findTurnTimes(trx, owner, id);
      const row = found && (await findTurn(trx, owner, found.threadId, id));
      if (!row) throw new NotFound('This turn does not exist.');
      const said = await listHistory(trx, owner, row.threadId, row.seq);
      const newest = newestAnswer(said, row);
      return {
        turn: row,
        times: found,
        history: said,
        answer: newest,
        summary: await findSummary(trx, owner, row.threadId, { seq: row.seq, before: newest?.createdAt }),
        gate: await findTimedGate(trx, owner, id),
        web: await readWebUse(trx, owner, { threadId: row.threadId, run: row.run ?? row.id }),
        steered: await findSteering(trx, owner, row),
      };
    });
    const shown = recentItems(answer ? history.slice(0, history.indexOf(answer)) : history, summary ?? null, turn.seq);
    const items = history.filter((item) => item.turnSeq === turn.seq);
    const trace = await engine.readTrace(id);
    const place = { thread: turn.threadId, workspace: workspaceOfTurn(turn) };
    const context = await engine.readContext(turn);
    const work = await readWork(db, owner, turn.request, context.project);
    const { withoutWeb } = turn.request;
    const all = limitTools(await tools.current(owner, place), { ...context, work, withoutWeb });
    const offered = tools.defer(all, shown, turn.request);
    const recent = recentItems(history, summary ?? null, turn.seq, Number.POSITIVE_INFINITY); // what is left out of a prompt has an origin too
    const facts = {
      history: recent,
      tools: all,
      summary: summary ?? null,
      isCut: false,
      instructions: foreignInstructions(context, owner.userId),
    };
    const setting = await readPromptSetting(parts, owner, { ...context, work }, offered);
    return {
      turn,
      startedAt: times.startedAt,
      runner: times.runner,
      items,
      gate,
      spans: spansOf(turn, times.startedAt, items, trace, gate),
      subagents: await readSubagentSpans(db, engine, owner, { turn, items }),
      prompt: buildPrompt(turn, shown, setting, summary),
      summary,
      project: context.project ? { of: context.project, text: setting.project ?? '' } : undefined,
      judged: items.flatMap((item, at) =>
        item.type === 'function_call'
          ? [
              {
                callId: item.callId,
                read: readBefore(item.id, facts),
                allowedBy: allowedBy(item, items.slice(at), gate),
                layers: outputOf(item, items.slice(at))?.ran?.layers,
              },
            ]
          : [],
      ),
      web: { ...web, ofTurn: webCountOf(items) },
      steered,
      superseded: supersededIn(trace, items),
    };
  };
}

async function findSteering(
  trx: OwnedTransaction,
  owner: Owner,
  { steeredBy, threadId, endedAt }: Turn,
): Promise<Inspection['steered']> {
  const next = steeredBy ? await findTurn(trx, owner, threadId, steeredBy) : undefined;
  if (!next || !endedAt) return undefined;
  const { preview } = firstWords((await listItemsOfTurn(trx, owner, next)).filter(({ attempt }) => attempt === null));
  return { by: next.id, message: preview, waitedMs: Math.max(0, endedAt.getTime() - next.createdAt.getTime()) };
}

/** As `readWebUse` counts them: calls that have started, and the costs of outputs. */
function webCountOf(items: readonly TimedItem[]): WebCount {
  const calls = items.filter((item) => item.type === 'function_call').filter(({ startedAt }) => startedAt !== null);
  const costs = items.flatMap((item) => (item.type === 'function_call_output' ? (item.costUsd ?? []) : []));
  const isUnpriced = items.some((item) => item.type === 'function_call_output' && item.costUsd === null);
  return {
    searches: calls.filter(({ name }) => name === WEB_SEARCH).length,
    pages: calls.filter((call) => call.name === WEB_FETCH && call.arguments.includes('"url"')).length,
    usd: isUnpriced ? null : costs.reduce((sum, usd) => sum + usd, 0),
  };
}

/** Its first item: the newest model call saw everything before it. */
function newestAnswer(history: readonly TimedItem[], turn: Turn): TimedItem | undefined {
  return history.findLast((item) => item.turnSeq === turn.seq && item.usage !== null);
}

/** What let a call run: its output says it. A call that waited at the gate has its output in a later turn. */
function allowedBy(
  call: FunctionCallItem,
  after: readonly TimedItem[],
  gate: TimedGate | undefined,
): AllowedBy | undefined {
  const output = outputOf(call, after);
  if (output) return output.allowedBy;
  const isAsked = gate?.kind === 'approval' && callsOf(gate).some((asked) => asked.call.id === call.id);
  return isAsked && call.startedAt ? 'approval' : undefined;
}

function outputOf({ callId }: FunctionCallItem, after: readonly TimedItem[]) {
  return after.filter((item) => item.type === 'function_call_output').find((item) => item.callId === callId);
}

function supersededIn(trace: readonly AttemptTrace[], items: readonly TimedItem[]): Inspection['superseded'] {
  const written = new Set(items.map((item) => item.id));
  return trace.flatMap(({ attempt, events }) =>
    events.flatMap((event) =>
      event.type === 'item-done' && !event.written && event.item.type === 'message' && !written.has(event.item.id)
        ? [{ attempt: attempt - 1, text: textOf(event.item.content) }]
        : [],
    ),
  );
}
