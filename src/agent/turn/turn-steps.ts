import { type AttachmentHash, type ItemId, newId } from '#domain/ids.ts';
import { type ModelCall, NO_LIMITS, type SpendingLimits } from '#domain/spending.ts';
import { storedHashesOf } from '#domain/thread/attachment.ts';
import type { CompactionBody, InlinePart, Item, NewItem, OutputReads, WrittenItem } from '#domain/thread/item.ts';
import type { Reads } from '#domain/thread/origin.ts';
import { isAnswered, pendingAfter, pendingCalls } from '#domain/thread/pending-calls.ts';
import type { Summary } from '#domain/thread/summary.ts';
import type { ReasoningSummary } from '#domain/thread/thoughts.ts';
import { positionItems, type Turn } from '#domain/thread/turn.ts';
import { callOf, contentOf, eventsOf, missingEvents, type TurnEvent } from '#domain/thread/turn-event.ts';
import { traceparentOf } from '#domain/trace/trace-context.ts';
import { addUsage, NO_USAGE } from '#domain/usage.ts';
import type { TurnRun } from '#engine/running/turn-run.ts';
import type { TurnEnd } from '#engine/statements/settle.ts';
import { identityFor } from '#memory/identity.ts';
import { type Model, type ModelAnswer, ModelFailure, type PromptMessage } from '#models/model.ts';
import type { ModelChain, Models } from '#models/model-routes.ts';
import { type Database, withOwner } from '#store/connection.ts';
import { deleteCallQuestion } from '#store/tools/call-questions.ts';
import type { ToolRegistry } from '#tools/registry.ts';
import type { SealedTexts } from '#tools/secrets/sealed-text.ts';
import { flowOf, InputRequired, SignInRequired, type ToolSet } from '#tools/tool.ts';
import type { Attachments } from '../attachments/attachments.ts';
import type { CompactionSteps } from '../compaction/run-compaction.ts';
import { sealSummary } from '../compaction/sealed-summary.ts';
import { type PassageFacts, passageFor } from '../gates/gates.ts';
import { raiseLevelOf } from '../gates/raise-level-of.ts';
import { type ReadFacts, readBefore, readsOf } from '../gates/read-so-far.ts';
import { limitTools } from '../missions/limit-tools.ts';
import { endsSilently } from '../missions/no-result.ts';
import { createHistoryWindow } from '../prompt/history-window.ts';
import { loadPrompt } from '../prompt/load-prompt.ts';
import type { PromptSetting } from '../prompt/prompt.ts';
import { promptTools, readPromptSetting, type SettingParts, toolTexts } from '../prompt/prompt-setting.ts';
import { createMeter } from '../spending/budget-meter.ts';
import { createRunBudget } from '../spending/run-budget.ts';
import { askAgain, findAnswerProblem, InvalidOutput } from './answer-format.ts';
import { type DecidedCall, keepFiles, outputOf, plain, toItems } from './answer-items.ts';
import { callTool } from './call-tool.ts';
import { createRetries, modelFailed, type RetryLimits, USUAL_RETRIES } from './model-retries.ts';
import type { TurnSteps } from './run-turn.ts';
import type { Safety } from './safety.ts';
import { createSpokenMessage } from './spoken-message.ts';
import { keepQuestion, startCall, undoStart } from './start-call.ts';
import type { AttemptLog, TurnLog } from './turn-log.ts';

export type TurnContext = SettingParts & {
  readonly db: Database;
  readonly models: Models;
  readonly tools: ToolRegistry;
  /** Daily spending limit of each user; without it there is no limit. */
  readonly limits?: SpendingLimits;
  readonly retries?: RetryLimits;
  readonly safety: Safety;
  readonly attachments: Pick<Attachments, 'openHistory' | 'readPatiently' | 'keep'>;
  /** Encrypts summaries that callers keep. */
  readonly summaries: Pick<SealedTexts, 'seal'>;
  readonly log?: TurnLog;
  /** Whether traces are exported, so that requests to models and of tools continue them. */
  readonly isTraced?: boolean;
};

/** One attempt at a turn: its steps, and how to close it when it fails. */
export type TurnAttempt = TurnSteps &
  CompactionSteps & {
    /** Keeps the text so far, and gives `reason` as the output of every pending call. */
    close(reason: string): void;
    /** What the engine writes when the turn ends. */
    end(): Omit<TurnEnd, 'outcome'>;
  };

/** Items with a position in the thread that are written together with the end of the turn. */
type Deferred = {
  readonly items: readonly WrittenItem[];
  readonly appended: readonly Item[];
  readonly call: ModelCall | null;
};

export function createAttempt(context: TurnContext, turn: Turn, run: TurnRun, log: AttemptLog): TurnAttempt {
  const { db, models, tools, safety, summaries, attachments, limits = NO_LIMITS, retries = USUAL_RETRIES } = context;
  safety.prepare(turn, run.setting.secrets);
  const thread: Item[] = []; // the items that this attempt knows
  const currentTools = async () => tools.defer(limitTools(await tools.current(turn), turn.request.mission), thread);
  const traceparent = context.isTraced ? traceparentOf(turn) : undefined;
  const emit = (event: TurnEvent) => {
    log.emitted(event);
    run.emit(event);
  };
  const spoken = createSpokenMessage(emit);
  const meter = createMeter({
    limits: run.limits ?? limits,
    spent: () => run.spent(),
    ...(turn.request.mission && { run: createRunBudget(turn.request.mission, () => usages()) }),
    signal: run.signal,
    traceparent,
    log,
  });
  const retrying = createRetries({ limits: retries, meter, signal: run.signal, emit });
  const readAttachments = (hashes: readonly AttachmentHash[]) => attachments.readPatiently(turn, hashes, run.signal);
  const window = createHistoryWindow(
    turn,
    run,
    { ...retrying, discard: meter.discard },
    (prompt) => loadPrompt(readAttachments, prompt, new Set(ownItems().flatMap(storedHashesOf))),
    async (history, summary) => readsOf({ history, summary, tools: await currentTools(), isCut: run.isHistoryCut() }),
    showSummary,
  );
  let failedModels = 0; // models of the chain that failed: the attempt does not ask them again
  let began: Promise<PromptSetting> | undefined; // read once: changes take effect with the next turn
  let isLoaded = false;
  const deferred: Deferred[] = [];
  let sentBack: ItemId | undefined; // a call that needs another sign-in
  let decided: DecidedCall | undefined; // by the last written answer
  const ownItems = () => thread.filter((item) => item.turnSeq === turn.seq);
  const usages = () => [window.usage(), meter.failedUsage(), ...ownItems().map(({ usage }) => usage ?? NO_USAGE)];
  const usedSoFar = () => usages().reduce(addUsage);

  async function append(items: readonly WrittenItem[], call: ModelCall | null = null): Promise<Item[]> {
    const position = ownItems().length;
    await run.append(position, items, call);
    const appended = positionItems(turn, position, items);
    thread.push(...appended);
    tell(appended);
    return appended;
  }

  /** Adds items after which the turn ends; the end of the turn writes them. */
  function defer(items: readonly WrittenItem[], call: ModelCall | null = null): Item[] {
    const appended = positionItems(turn, ownItems().length, items);
    thread.push(...appended);
    deferred.push({ items, appended, call });
    return appended;
  }

  /** Adds the summary to the reply of a turn that asked for it. After a crash, the next attempt adds it if it is missing. */
  async function showSummary({ text: summary, reads }: Summary): Promise<void> {
    const shown = ownItems().findLast((item) => item.type === 'compaction' && item.attempt !== null);
    if (turn.request.compactAbove === undefined || (shown?.type === 'compaction' && shown.summary === summary)) return;
    await append([plain(compactionOf({ summary, reads }))]);
  }

  const compactionOf = ({ summary, reads }: { summary: string; reads: Reads | null }): NewItem & CompactionBody => ({
    id: newId(),
    type: 'compaction',
    summary,
    sealed: sealSummary(summaries, turn, { summary, reads }),
    ...(reads && { reads }),
  });

  /** Watchers see items only after they are written. */
  function tell(items: readonly Item[]): void {
    for (const item of items.map(contentOf)) {
      if (!spoken.finish(item)) eventsOf(item).forEach(emit);
    }
  }

  const readFacts = (offered: ToolSet): ReadFacts => ({
    history: thread,
    tools: offered,
    summary: window.summary(),
    isCut: run.isHistoryCut(),
  });

  const passageFacts = (offered: ToolSet): PassageFacts => ({
    db,
    owner: turn,
    tools: offered,
    run: turn.run ?? turn.id,
    mission: turn.request.mission?.id,
    readBefore: (call) => readBefore(call.id, readFacts(offered)),
    callsAfter: (call) => pendingAfter(call.id, thread).map(callOf),
    started: false,
    raise: async (tool, call, level) => {
      const flags = await safety.flagsOfCall(turn, call.arguments);
      const alsoRead = [
        window.summary()?.text ?? '',
        identityFor(turn, run.setting.notes).user ?? '',
        ...toolTexts(offered),
      ];
      return raiseLevelOf(tool, call, level, { history: thread, tools: offered, alsoRead, flags, userId: turn.userId });
    },
  });

  const modelOf = (chain: ModelChain) => chain[Math.min(failedModels, chain.length - 1)] ?? chain[0];

  /** Asks the route's first model, and its fallbacks after failures that they may not share. */
  async function askChain<T>(chain: ModelChain, ask: (model: Model) => Promise<T>, isFinal: () => boolean): Promise<T> {
    for (;;) {
      const model = modelOf(chain);
      try {
        return await ask(model);
      } catch (error) {
        const next = chain[failedModels + 1];
        if (!(error instanceof ModelFailure) || error.remedy === 'none' || isFinal() || !next) throw error;
        emit(modelFailed(model, error, { next, waitMs: 0 }));
        failedModels++;
      }
    }
  }

  /** The model's answer, with secrets removed. */
  async function askWithoutLeaks(
    chain: ModelChain,
    history: readonly Item[],
    offered: ToolSet,
    ending: readonly PromptMessage[] = [],
  ) {
    const redact = await safety.textRedactorFor(turn);
    const said = await safety.redactorFor(turn);
    let spoke = false;
    // An answer that may be asked for once more is checked before watchers see it.
    const isHeld = turn.request.format !== undefined || turn.request.mustCall === true;
    const say = (piece: string) => piece && !isHeld && spoken.say(piece);
    const hear = (delta: string) => {
      spoke = true;
      say(said.push(delta));
    };
    began ??= readPromptSetting(context, turn, run.setting, offered);
    const setting = { ...(await began), tools: promptTools(offered), ending };
    const reason = (summary: ReasoningSummary) => spoken.reason(summary.map(redact));
    const ask = (model: Model) => window.ask(model, history, setting, hear, reason);
    const { answer, call } = await askChain(chain, ask, () => spoke);
    say(said.end());
    const calls = await Promise.all(answer.calls.map((wanted) => safety.checkCall(turn, wanted)));
    const { beforeText = [], beforeCalls = [] } = answer.reasoning ?? {};
    const reasoning = { beforeText: beforeText.map(redact), beforeCalls: beforeCalls.map(redact) };
    return { answer: { ...answer, text: redact(answer.text), calls, reasoning }, call };
  }

  /** An answer in the requested format. A model whose answer does not have it is asked once more. */
  async function askFormatted(chain: ModelChain, history: readonly Item[], offered: ToolSet) {
    const first = await askWithoutLeaks(chain, history, offered);
    const problem = await problemOf(first.answer);
    if (problem === undefined) return first;
    meter.discard(first.call);
    const ending = askAgain(first.answer.text, problem, turn.request);
    const second = await askWithoutLeaks(chain, history, offered, ending);
    const again = await problemOf(second.answer);
    if (again === undefined) return second;
    meter.discard(second.call);
    throw new InvalidOutput(again);
  }

  async function problemOf(answer: Pick<ModelAnswer, 'text' | 'calls' | 'finish'>): Promise<string | undefined> {
    if (answer.calls.length > 0 || answer.finish === 'length') return undefined;
    return findAnswerProblem(turn.request, answer.text, turn);
  }

  return {
    gateAhead: run.gateAhead,
    isAnswered: (history) => isAnswered(turn.seq, history) || endsSilently(turn, history),

    async passageFor(call) {
      const known = decided?.id === call.id ? decided.passage : undefined;
      decided = undefined; // valid only now, and only for this call
      if (known) return known;
      return passageFor(callOf(call), { ...passageFacts(await currentTools()), started: call.startedAt !== null });
    },

    async loadHistory() {
      thread.push(...(await attachments.openHistory(turn, await run.history(), run.signal)));
      isLoaded = true;
      if (turn.attempt > 0) {
        const made = ownItems().filter((item) => item.attempt !== null);
        for (const event of missingEvents(await run.seenEvents(), made))
          run.emit(event.type === 'item-added' ? { ...event, earlier: true } : event);
      }
      return [...thread];
    },

    async askModel(history) {
      const chain = await models.find(turn.request.model);
      const offered = await currentTools();
      const { answer, call } = await askFormatted(chain, history, offered);
      const written = await toItems(answer, call, spoken.id() ?? newId(), turn, passageFacts(offered));
      decided = written.first;
      const isLast = answer.calls.length === 0 || written.first?.passage.kind === 'gate';
      return isLast ? defer(written.items, call) : append(written.items, call);
    },

    async summarise(history) {
      const chain = await models.find(turn.request.model);
      const {
        text: said,
        reads,
        call,
      } = await askChain(
        chain,
        (model) => window.condense(model, history),
        () => false,
      );
      const summary = (await safety.textRedactorFor(turn))(said);
      defer([{ ...plain(compactionOf({ summary, reads })), usage: call.usage }], call);
    },

    async callTool(call, passage) {
      if (passage.kind === 'forbidden') return append([outputOf(call, FORBIDDEN)]);
      const isBack = sentBack === call.id;
      if (!call.startedAt || isBack) await withOwner(db, turn, (trx) => startCall(trx, turn, call, passage));
      const files: InlinePart[] = [];
      let reads: OutputReads = passage.tool ? flowOf(passage.tool).reads : {};
      try {
        const returned = await log.toolCalled(call, passage.tool, (onStopped) =>
          callTool(call, {
            turn,
            passage,
            signal: run.signal,
            traceparent,
            onProgress: (progress) => emit({ type: 'tool-progress', itemId: call.id, ...progress }),
            onFile: (file) => files.push(file),
            onReads: (said) => (reads = said),
            onStopped,
          }),
        );
        const received = await safety.receive(turn, call.name, returned);
        const { allowedBy } = passage;
        const output = outputOf(call, received, { reads, allowedBy, files });
        const written = await append([await keepFiles(output, (items) => attachments.keep(turn, items))]);
        if (passage.answered) await withOwner(db, turn, (trx) => deleteCallQuestion(trx, turn, call.id));
        return written;
      } catch (error) {
        if (error instanceof InputRequired) {
          await withOwner(db, turn, (trx) => keepQuestion(trx, turn, call, passage, error));
          return []; // the call is still pending, and its gate asks the question
        }
        if (!(error instanceof SignInRequired)) throw error;
        if (isBack) return append([outputOf(call, NOT_SIGNED_IN)]);
        await withOwner(db, turn, (trx) => undoStart(trx, turn, call, passage));
        sentBack = call.id;
        return []; // the call is still pending, and its gate asks for the sign-in
      }
    },

    close(reason) {
      const half = deferred.length === 0 ? spoken.half() : undefined; // otherwise the whole message is deferred
      const outputs = pendingCalls(thread).map((call) => outputOf(call, reason));
      const closing = [...(half ? [plain(half)] : []), ...outputs];
      if (closing.length > 0) defer(closing);
    },

    end() {
      const items = deferred.flatMap((each) => each.items);
      return {
        usage: usedSoFar(),
        last: { position: isLoaded ? ownItems().length - items.length : null, items },
        calls: [...deferred.flatMap(({ call }) => call ?? []), ...meter.failedCalls()],
        onWritten: () => tell(deferred.flatMap(({ appended }) => appended)),
      };
    },
  };
}

const NOT_SIGNED_IN = 'Not run: the server refused the sign-in. Continue without the tool, and say so.';
const FORBIDDEN = 'Not run: the operator has forbidden this tool. Continue without it, and say so.';
