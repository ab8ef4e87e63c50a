import type { Documents } from '#documents/documents.ts';
import type { DelegationLimits } from '#domain/delegation/delegation.ts';
import { type ItemId, newId } from '#domain/ids.ts';
import { NO_LIMITS, type SpendingLimits } from '#domain/spending.ts';
import { storedHashesOf } from '#domain/thread/attachment.ts';
import { blockReasonOf, type FunctionCallItem, type Item } from '#domain/thread/item.ts';
import { isAnswered, pendingCalls } from '#domain/thread/pending-calls.ts';
import type { Summary } from '#domain/thread/summary.ts';
import type { Turn } from '#domain/thread/turn.ts';
import { callOf, missingEvents, type TurnEvent } from '#domain/thread/turn-event.ts';
import { traceparentOf } from '#domain/trace/trace-context.ts';
import { workspaceOfTurn } from '#domain/workspace/version.ts';
import type { TurnRun } from '#engine/running/turn-run.ts';
import type { TurnEnd } from '#engine/statements/settle.ts';
import type { Models } from '#models/model-routes.ts';
import { type Database, withOwner } from '#store/connection.ts';
import type { ToolRegistry } from '#tools/registry.ts';
import type { SealedTexts } from '#tools/secrets/sealed-text.ts';
import type { ToolSet } from '#tools/tool.ts';
import type { Attachments } from '../attachments/attachments.ts';
import type { CompactionSteps } from '../compaction/run-compaction.ts';
import { compactionOf } from '../compaction/sealed-summary.ts';
import { createChildren } from '../delegations/children.ts';
import { limitDelegation } from '../delegations/limit-delegation.ts';
import { type AllowedCall, type CallDecision, decideCall } from '../gates/gates.ts';
import { readsOf } from '../gates/read-so-far.ts';
import type { ProjectFiles } from '../projects/project-files.ts';
import { createDocumentTexts } from '../prompt/document-texts.ts';
import { createHistoryWindow } from '../prompt/history-window.ts';
import { loadPrompt } from '../prompt/load-prompt.ts';
import { foreignInstructions } from '../prompt/project-block.ts';
import type { PromptSetting } from '../prompt/prompt.ts';
import { readPromptSetting, type SettingParts } from '../prompt/prompt-setting.ts';
import { limitTools } from '../work/limit-tools.ts';
import { endsSilently } from '../work/no-result.ts';
import { createWork, findTurnAssistant, modelOf } from '../work/read-work.ts';
import type { StoredFiles } from '../workspace/stored-files.ts';
import { type DecidedCall, outputOf, plain, toItems } from './answer-items.ts';
import { askModel } from './ask-model.ts';
import { createAttemptItems } from './attempt-items.ts';
import { createAttemptSpending } from './attempt-spending.ts';
import { isFound } from './call-tool.ts';
import { citationsOf, findCitable } from './cite-sources.ts';
import { decisionFacts } from './decision-facts.ts';
import { createLookAhead } from './look-ahead.ts';
import { createModelFallbacks } from './model-fallbacks.ts';
import { createRetries, type RetryLimits, USUAL_RETRIES } from './model-retries.ts';
import type { TurnSteps } from './run-turn.ts';
import type { Safety } from './safety.ts';
import { createSpokenMessage } from './spoken-message.ts';
import { startCall } from './start-call.ts';
import type { AttemptLog, TurnLog } from './turn-log.ts';
import { createToolUse } from './use-tool.ts';

export type AttemptParts = SettingParts & {
  readonly db: Database;
  readonly models: Models;
  readonly tools: ToolRegistry;
  /** Daily spending limit of each user; unlimited without it. */
  readonly limits?: SpendingLimits;
  readonly retries?: RetryLimits;
  /** How far runs may delegate; not at all without it. */
  readonly delegation?: DelegationLimits;
  readonly safety: Safety;
  readonly attachments: Pick<Attachments, 'openHistory' | 'readPatiently' | 'keep'>;
  readonly files: StoredFiles;
  readonly projectFiles: Pick<ProjectFiles, 'open'>;
  readonly documents: Pick<Documents, 'findRead' | 'readPages'>;
  /** Encrypts summaries that callers keep. */
  readonly summaries: Pick<SealedTexts, 'seal'>;
  readonly log?: TurnLog;
  /** Whether traces are exported, so that requests to models and of tools continue them. */
  readonly isTraced?: boolean;
};

/** One attempt at a turn: its steps, and how to close it when it fails. */
export type TurnAttempt = TurnSteps &
  CompactionSteps & {
    /** Keeps the text so far, and gives every pending call an output: `reason`, or `cutOff` if the call has started to run. */
    close(reason: string, cutOff?: string): void;
    /** What the engine writes when the turn ends. */
    end(): Omit<TurnEnd, 'outcome'>;
  };

export function createAttempt(parts: AttemptParts, turn: Turn, run: TurnRun, log: AttemptLog): TurnAttempt {
  parts.safety.prepare(turn, run.setting.secrets);
  const shared = shareParts(parts, turn, run, log);
  const { spoken, items, spending, currentTools } = shared;
  const { signal } = run;
  const useTool = createToolUse({ ...shared, signal });
  const factsWith = (tools: ToolSet) => decisionFacts(shared, tools);
  const lookAhead = createLookAhead({ db: parts.db, turn, items, signal, currentTools, factsWith });
  const begun = new Set<ItemId>();
  const { children, toldByOthers } = shared;
  return {
    gateAhead: run.gateAhead,
    isAnswered: (history) => isAnswered(turn.seq, history) || endsSilently(turn, history),
    async loadHistory() {
      const history = await loadHistory(shared);
      await children.find(history);
      return history;
    },
    // A call that runs is awaited, and so are children.
    isSteered: () => run.isSteered() && !children.areUnreported(),
    isDelegated: children.isStarted,
    takeReports: () => children.takeReports(),
    ...createModelSteps(shared),
    async callTool(call, decision) {
      begun.add(call.id);
      if (isDelegating(call, decision)) return children.start(call, decision);
      await lookAhead(call, decision);
      return useTool(call, decision);
    },

    close(reason, cutOff = reason) {
      const spokenHalf = items.isDeferred() ? undefined : spoken.half(); // otherwise the whole message is deferred
      const half = spokenHalf && { ...spokenHalf, ...(toldByOthers && { toldByOthers }) };
      const hasBegun = (call: FunctionCallItem) => begun.has(call.id) || isFound(call, turn);
      const outputs = pendingCalls(items.thread).map((call) => outputOf(call, hasBegun(call) ? cutOff : reason));
      const closing = [...(half ? [plain(half)] : []), ...outputs];
      if (closing.length > 0) items.defer(closing);
    },

    end() {
      const end = items.end();
      return {
        ...end,
        tree: children.tree(),
        usage: spending.usage(),
        calls: [...end.calls, ...spending.meter.failedCalls()],
      };
    },
  };
}

type Shared = ReturnType<typeof shareParts>;

/** What the steps of an attempt share. */
function shareParts(parts: AttemptParts, turn: Turn, run: TurnRun, log: AttemptLog) {
  const { models, tools, attachments, limits = NO_LIMITS, retries = USUAL_RETRIES } = parts;
  const traceparent = parts.isTraced ? traceparentOf(turn) : undefined;
  const emit = (event: TurnEvent) => {
    log.emitted(event);
    run.emit(event);
  };
  const spoken = createSpokenMessage(emit);
  const items = createAttemptItems(turn, run, (written) => spoken.announce(written));
  const place = { thread: turn.threadId, workspace: workspaceOfTurn(turn) };
  const work = createWork(parts.db, turn, run.setting.project);
  const { withoutWeb } = turn.request;
  const ownTools = async () =>
    limitTools(await tools.current(turn, place), { ...run.setting, work: await work(), withoutWeb });
  const currentTools = async () =>
    tools.defer(limitDelegation(await ownTools(), turn, parts.delegation), items.thread, turn.request);
  const fallbacks = createModelFallbacks(emit);
  const findChain = async () => models.find(modelOf(turn, await work()));
  const basic = {
    ...parts,
    turn,
    work,
    run,
    log,
    emit,
    traceparent,
    spoken,
    items,
    currentTools,
    fallbacks,
    findChain,
  };
  const spending = createAttemptSpending({ ...basic, limits });
  const { meter, writeSummary } = spending;
  const withTexts = createDocumentTexts(parts.documents, turn, run.signal);
  const instructions = foreignInstructions(run.setting, turn.userId);
  const toldByOthers = instructions !== undefined;
  const readsIn = async (history: readonly Item[], summary: Summary | null) =>
    readsOf({
      history,
      summary,
      tools: await currentTools(),
      isCut: run.isHistoryCut(),
      instructions,
    });
  const window = createHistoryWindow({
    turn,
    summary: run.summary,
    isAsked: run.compactAsked,
    writeSummary,
    meter: { ...createRetries({ limits: retries, meter, signal: run.signal, emit }), discard: meter.discard },
    load: async (prompt, model) =>
      loadPrompt(
        (hashes) => attachments.readPatiently(turn, hashes, run.signal),
        await withTexts(prompt, model),
        new Set(items.own().flatMap(storedHashesOf)),
      ),
    readsOf: readsIn,
    onSummary: (summary) => showSummary(basic, summary),
  });
  const readBefore = async (call: FunctionCallItem) =>
    decisionFacts({ ...basic, window }, await currentTools()).readBefore(callOf(call));
  const children = createChildren({
    ...basic,
    spending,
    readBefore,
    outputOf,
    startCall: (call, decision) => withOwner(parts.db, turn, (trx) => startCall(trx, turn, call, decision)),
    findAssistant: (name) => findTurnAssistant(parts.db, turn, name),
    limits: parts.delegation ?? NO_DELEGATION,
  });
  const readsSoFar = () => readsIn(items.thread, window.summary());
  return { ...basic, spending, window, children, toldByOthers, readsSoFar };
}

const NO_DELEGATION: DelegationLimits = { depth: 0, active: 0, perRun: 0, perTree: 0, tokensPerChild: 0 };

const isDelegating = (call: FunctionCallItem, decision: CallDecision): decision is AllowedCall =>
  decision.kind === 'allowed' && decision.tool?.delegates === true && !blockReasonOf(call);

/** Adds the summary to the reply of a turn that asked for it. After a crash, the next attempt adds it if it is missing. */
async function showSummary(
  { summaries, turn, items }: Pick<Shared, 'summaries' | 'turn' | 'items'>,
  summary: Summary,
): Promise<void> {
  const shown = items.own().findLast((item) => item.type === 'compaction' && item.attempt !== null);
  if (turn.request.compactAbove === undefined || (shown?.type === 'compaction' && shown.summary === summary.text))
    return;
  await items.append([plain(compactionOf(summaries, turn, summary))]);
}

async function loadHistory({ attachments, turn, run, items }: Shared): Promise<Item[]> {
  items.load(await attachments.openHistory(turn, await run.history(), run.signal));
  if (turn.attempt > 0) {
    const made = items.own().filter((item) => item.attempt !== null);
    for (const event of missingEvents(await run.seenEvents(), made))
      run.emit(event.type === 'item-added' ? { ...event, earlier: true } : event);
  }
  return [...items.thread];
}

const readTurnSetting = async (shared: Shared, offered: ToolSet): Promise<PromptSetting> =>
  readPromptSetting(shared, shared.turn, { ...shared.run.setting, work: await shared.work() }, offered);

/** The steps that ask a model, and the decision on the calls that it makes. */
function createModelSteps(shared: Shared): Pick<TurnAttempt, 'askModel' | 'decide' | 'summarise'> {
  const { turn, safety, spoken, items, window, fallbacks, findChain, currentTools } = shared;
  let began: Promise<PromptSetting> | undefined; // read once: changes take effect with the next turn
  const readSetting = (offered: ToolSet) => (began ??= readTurnSetting(shared, offered));
  const asking = { ...shared, meter: shared.spending.meter, readSetting };
  let decided: DecidedCall | undefined; // by the last written answer

  return {
    async askModel(history) {
      const chain = await findChain();
      const offered = await currentTools();
      spoken.mayCite(await findCitable(shared.db, turn, { thread: items.thread, isSummed: window.summary() !== null }));
      const { answer, call } = await askModel(asking, { chain, history, offered });
      const citations = await citationsOf(shared.db, turn, answer.text);
      const facts = decisionFacts(shared, offered);
      // What a child says is read by the run above.
      const reads = turn.child ? await shared.readsSoFar() : undefined;
      const extras = { citations, reads, toldByOthers: shared.toldByOthers };
      const written = await toItems(answer, call, spoken.id() ?? newId(), turn, facts, extras);
      decided = written.first;
      const isLast = answer.calls.length === 0 || written.first?.decision.kind === 'gate';
      return isLast ? items.defer(written.items, call) : items.append(written.items, call);
    },

    async decide(call) {
      const known = decided?.id === call.id ? decided.decision : undefined;
      decided = undefined; // valid only now, and only for this call
      if (known) return known;
      const facts = decisionFacts(shared, await currentTools());
      return decideCall(callOf(call), { ...facts, started: call.startedAt !== null });
    },

    async summarise(history) {
      const chain = await findChain();
      const { text: said, reads, call } = await fallbacks.ask(chain, (model) => window.condense(model, history));
      const text = (await safety.textRedactorFor(turn))(said);
      const item = compactionOf(shared.summaries, turn, { text, reads });
      items.defer([{ ...plain(item), usage: call.usage }], call);
    },
  };
}
