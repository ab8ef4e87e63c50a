import type { ModelCall } from '#domain/spending.ts';
import type { Item } from '#domain/thread/item.ts';
import type { ReasoningSummary } from '#domain/thread/thoughts.ts';
import type { Turn } from '#domain/thread/turn.ts';
import type { Model, PromptMessage } from '#models/model.ts';
import type { ModelChain } from '#models/model-routes.ts';
import type { ToolSet } from '#tools/tool.ts';
import type { HistoryWindow } from '../prompt/history-window.ts';
import type { PromptSetting } from '../prompt/prompt.ts';
import { promptTools } from '../prompt/prompt-setting.ts';
import type { Meter } from '../spending/budget-meter.ts';
import { askAgain, findAnswerProblem, InvalidOutput } from './answer-format.ts';
import type { CheckedAnswer } from './answer-items.ts';
import type { ModelFallbacks } from './model-fallbacks.ts';
import type { Safety } from './safety.ts';
import type { SpokenMessage } from './spoken-message.ts';

export type AskingParts = {
  readonly turn: Turn;
  readonly safety: Pick<Safety, 'checkCall' | 'redactorFor' | 'textRedactorFor'>;
  readonly spoken: SpokenMessage;
  readonly window: Pick<HistoryWindow, 'ask'>;
  readonly fallbacks: ModelFallbacks;
  readonly meter: Pick<Meter, 'discard'>;
  /** The setting of the attempt's prompts. */
  readonly readSetting: (offered: ToolSet) => Promise<PromptSetting>;
};

/** What the model is asked. */
export type Question = {
  readonly chain: ModelChain;
  readonly history: readonly Item[];
  readonly offered: ToolSet;
};

type Answered = { readonly answer: CheckedAnswer; readonly call: ModelCall };

/** An answer in the requested format. A model whose answer does not have it is asked once more. */
export async function askModel(parts: AskingParts, question: Question): Promise<Answered> {
  const { turn, meter } = parts;
  const first = await askWithoutLeaks(parts, question);
  const problem = await problemOf(turn, first.answer);
  if (problem === undefined) return first;
  meter.discard(first.call);
  const second = await askWithoutLeaks(parts, question, askAgain(first.answer.text, problem, turn.request));
  const again = await problemOf(turn, second.answer);
  if (again === undefined) return second;
  meter.discard(second.call);
  throw new InvalidOutput(again);
}

async function problemOf(turn: Turn, { text, calls, finish }: CheckedAnswer): Promise<string | undefined> {
  if (calls.length > 0 || finish === 'length') return undefined;
  return findAnswerProblem(turn.request, text, turn);
}

/** The model's answer, with secrets removed. */
async function askWithoutLeaks(
  { turn, safety, spoken, window, fallbacks, readSetting }: AskingParts,
  { chain, history, offered }: Question,
  ending: readonly PromptMessage[] = [],
): Promise<Answered> {
  const redact = await safety.textRedactorFor(turn);
  const redactor = await safety.redactorFor(turn);
  let spoke = false;
  // An answer that may be asked for once more is checked before watchers see it.
  const isHeld = turn.request.format !== undefined || turn.request.mustCall === true;
  const say = (piece: string) => piece && !isHeld && spoken.say(piece);
  const onText = (delta: string) => {
    spoke = true;
    say(redactor.push(delta));
  };
  const onReasoning = (summary: ReasoningSummary) => spoken.reason(summary.map(redact));
  const setting = { ...(await readSetting(offered)), tools: promptTools(offered), ending };
  const ask = (model: Model) => window.ask(model, history, setting, onText, onReasoning);
  const { answer, call } = await fallbacks.ask(chain, ask, () => spoke);
  say(redactor.end());
  const calls = await Promise.all(answer.calls.map((wanted) => safety.checkCall(turn, wanted)));
  const { beforeText = [], beforeCalls = [] } = answer.reasoning ?? {};
  const reasoning = { beforeText: beforeText.map(redact), beforeCalls: beforeCalls.map(redact) };
  return { answer: { ...answer, text: redact(answer.text), calls, reasoning }, call };
}
