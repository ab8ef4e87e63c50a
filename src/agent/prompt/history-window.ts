import type { ModelCall } from '#domain/spending.ts';
import { cut } from '#domain/text/cut.ts';
import type { ContentPart, Item } from '#domain/thread/item.ts';
import type { Reads } from '#domain/thread/origin.ts';
import type { Summary } from '#domain/thread/summary.ts';
import type { Turn } from '#domain/thread/turn.ts';
import type { TurnRun } from '#engine/running/turn-run.ts';
import { estimateTokens } from '#models/estimate-tokens.ts';
import { type Model, ModelFailure, type OnReasoning, type OnText, type Prompt } from '#models/model.ts';
import type { Meter, MeteredAnswer } from '../spending/budget-meter.ts';
import { COMPACT_ABOVE, type Compaction, compact, condense } from './compact.ts';
import { isCovered, isRequest, recentItems } from './history.ts';
import { scaleFrom } from './history-tokens.ts';
import { buildPrompt, type PromptSetting } from './prompt.ts';

/** The size of the next prompt, as a share of one that the model refused as too long. */
const AFTER_REFUSAL = 0.5;

export type WindowParts = {
  readonly turn: Turn;
  /** Replaces the older items when the attempt starts. */
  readonly summary: Summary | null;
  /** Whether the thread's owner has asked for a summary of what was said before. */
  readonly isAsked: boolean;
  readonly writeSummary: TurnRun['writeSummary'];
  readonly meter: Pick<Meter, 'ask' | 'discard'>;
  /** Reads the attachments of a prompt. */
  readonly load: (prompt: Prompt<ContentPart>, model: Model) => Promise<Prompt>;
  /** What these items hold, and the summary before them. */
  readonly readsOf: (items: readonly Item[], before: Summary | null) => Promise<Reads>;
  /** Called with this turn's newest summary before the model is asked with it. */
  readonly onSummary?: (summary: Summary) => Promise<void>;
};

export type HistoryWindow = {
  ask(
    model: Model,
    history: readonly Item[],
    setting: PromptSetting,
    onText: OnText,
    onReasoning?: OnReasoning,
  ): Promise<MeteredAnswer>;
  /** A summary of the whole history. The caller writes it, and counts its model call. */
  condense(model: Model, history: readonly Item[]): Promise<CondensedHistory>;
  /** The summary that now replaces the older items. */
  summary(): Summary | null;
};

export type CondensedHistory = { readonly text: string; readonly reads: Reads; readonly call: ModelCall };

/** Gives a model as much of a thread as it can read, and summarises the rest. */
export function createHistoryWindow(parts: WindowParts): HistoryWindow {
  const state: State = { ...parts };
  const { turn, meter, load, onSummary } = parts;

  return {
    async ask(model, history, setting, onText, onReasoning) {
      const { promptTokens, windowTokens } = model.contextSize;
      const wanted = (turn.request.compactAbove ?? Infinity) / COMPACT_ABOVE;
      const first = await fit(state, { model, history, setting }, Math.min(promptTokens, wanted));
      if (state.summary?.turnSeq === turn.seq) await onSummary?.(state.summary);
      if (first.tokens > windowTokens) throw tooLong(first.tokens, model);
      try {
        return await meter.ask(model, await load(first.prompt, model), onText, onReasoning);
      } catch (error) {
        if (!(error instanceof ModelFailure && error.tooLong)) throw error;
        const { prompt } = await fit(state, { model, history, setting }, first.tokens * AFTER_REFUSAL, true);
        return meter.ask(model, await load(prompt, model), onText, onReasoning);
      }
    },

    async condense(model, history) {
      const { promptTokens } = model.contextSize;
      try {
        return await condenseTo(promptTokens, state, model, history);
      } catch (error) {
        if (!(error instanceof ModelFailure && error.tooLong)) throw error;
        return condenseTo(promptTokens * AFTER_REFUSAL, state, model, history);
      }
    },

    summary: () => state.summary,
  };
}

type State = Omit<WindowParts, 'summary' | 'isAsked'> & { summary: Summary | null; isAsked: boolean };

type Thread = {
  readonly model: Model;
  readonly history: readonly Item[];
  readonly setting: PromptSetting;
};

type Fitted = { readonly prompt: Prompt<ContentPart>; readonly tokens: number };

/** The prompt, not much longer than `limit`; `must` it be shorter, as the model said, or the whole turn fails? */
async function fit(state: State, { model, history, setting }: Thread, limit: number, must = false): Promise<Fitted> {
  const { turn, summary } = state;
  const estimate = (items: readonly Item[]) => estimateTokens(buildPrompt(turn, items, setting, summary));
  const recent = recentItems(history, summary, turn.seq);
  const scale = scaleFrom(recent, summary, estimate);
  const isFull = estimate(recent) * scale > COMPACT_ABOVE * limit;
  if (isFull || state.isAsked) {
    const request = history.filter((item) => isRequest(item, turn.seq));
    const shortening = compact({
      turnSeq: turn.seq,
      summary,
      items: history.filter((item) => !summary || !isCovered(item, summary)),
      limit: limit / scale,
      fixed: estimateTokens(buildPrompt(turn, request, setting)),
      isAsked: state.isAsked,
      summarise: (prompt, toSummary) => summarise(state, model, history, prompt, toSummary),
    });
    const shorter = await (isFull ? shortening : unlessRefused(shortening));
    state.isAsked = false;
    if (!shorter && must) throw tooLong(limit / AFTER_REFUSAL, model);
    state.summary = shorter ?? summary;
  }
  const prompt = buildPrompt(turn, recentItems(history, state.summary, turn.seq), setting, state.summary);
  return { prompt, tokens: estimateTokens(prompt) * scale };
}

/** A message whose prompt fits is answered although the model writes no summary. The wish for one stays for the next turn. */
async function unlessRefused(shortening: Promise<Summary | undefined>): Promise<Summary | undefined> {
  try {
    return await shortening;
  } catch (error) {
    if (error instanceof ModelFailure && error.remedy === 'none') return undefined;
    throw error;
  }
}

/** Later steps, and a new attempt, continue from the steps that are stored. */
async function condenseTo(
  limit: number,
  state: State,
  model: Model,
  history: readonly Item[],
): Promise<CondensedHistory> {
  const { turn, summary } = state;
  const { prompt, characters } = await condense({
    turnSeq: turn.seq,
    summary,
    items: history.filter((item) => !summary || !isCovered(item, summary)),
    limit,
    summarise: async (step, toSummary) => (state.summary = await summarise(state, model, history, step, toSummary)),
  });
  const { said, call } = await askForSummary(state, model, prompt);
  return { text: cut(said, characters), reads: await state.readsOf(history, state.summary), call };
}

/** What was read outlives the texts: a summary may repeat them. */
async function summarise(
  state: State,
  model: Model,
  history: readonly Item[],
  ...[prompt, toSummary]: Parameters<Compaction['summarise']>
): Promise<Summary> {
  const { said, call } = await askForSummary(state, model, prompt);
  const unmarked = toSummary(said);
  const covered = history.filter((item) => isCovered(item, unmarked));
  const made = { ...unmarked, reads: await state.readsOf(covered, state.summary) };
  await state.writeSummary(made, call);
  return made;
}

async function askForSummary(
  { meter }: State,
  model: Model,
  prompt: Prompt,
): Promise<{ readonly said: string; readonly call: ModelCall }> {
  const { answer, call } = await meter.ask(model, prompt, () => {});
  const said = answer.text.replaceAll('\u0000', '').trim(); // PostgreSQL can't store null characters
  if (said) return { said, call };
  meter.discard(call);
  throw new ModelFailure('model_error', NO_SUMMARY, {
    details: { code: 'model.broke_off', values: { model: model.name } },
  });
}

const NO_SUMMARY = 'The model was asked to summarise the older part of this thread and said nothing. Send it again.';

function tooLong(tokens: number, { name, contextSize }: Model): ModelFailure {
  const message = `About ${Math.ceil(tokens)} tokens are more than the model ${name} can read at once (${contextSize.windowTokens}). Send less in one message.`;
  return new ModelFailure('model_error', message, {
    tooLong: true,
    details: { code: 'model.too_long', values: { model: name } },
  });
}
