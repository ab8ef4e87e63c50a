import { NO_USAGE } from '#domain/usage.ts';
import { type Model, type ModelAnswer, ModelCallAborted, type OnReasoning, type OnText, type Prompt } from './model.ts';

/**
 * Asks a model whose answer ends before the first stop sequence of the prompt, to the character. Not every provider knows stop
 * sequences, so the text is searched here too, and the model is stopped at the first one. Calls after it are not made.
 */
export async function askUntilStop(
  model: Model,
  prompt: Prompt,
  onText: OnText,
  signal: AbortSignal,
  onReasoning?: OnReasoning,
): Promise<ModelAnswer> {
  const stops = prompt.sampling?.stopSequences ?? [];
  if (stops.length === 0) return model.ask(prompt, onText, signal, onReasoning);
  const reached = new AbortController();
  const search = createStopSearch(stops, onText);
  const onDelta = (delta: string) => {
    if (search.push(delta)) reached.abort();
  };
  try {
    const answer = await model.ask(prompt, onDelta, AbortSignal.any([signal, reached.signal]), onReasoning);
    search.end();
    return reached.signal.aborted ? { ...answer, text: search.text(), calls: [], finish: 'stop' } : answer;
  } catch (error) {
    if (!reached.signal.aborted || signal.aborted || !(error instanceof ModelCallAborted)) throw error;
    return { text: search.text(), calls: [], finish: 'stop', usage: error.usage ?? NO_USAGE };
  }
}

/** Passes text on up to the first stop sequence. An end that may be the beginning of one is held back. */
function createStopSearch(stops: readonly string[], onText: OnText) {
  let said = '';
  let held = '';
  let isReached = false;
  const say = (piece: string) => {
    said += piece;
    if (piece) onText(piece);
  };

  return {
    /** Returns whether a stop sequence was found. */
    push(delta: string): boolean {
      if (isReached) return true;
      held += delta;
      const at = findStop(held, stops);
      isReached = at !== undefined;
      const end = at ?? held.length - Math.max(...stops.map((stop) => overlap(held, stop)));
      say(held.slice(0, end));
      held = isReached ? '' : held.slice(end);
      return isReached;
    },
    end(): void {
      say(held);
      held = '';
    },
    text: (): string => said,
  };
}

/** Where the stop sequence begins that is complete first. Pieces of any size give the same result. */
function findStop(text: string, stops: readonly string[]): number | undefined {
  const [first] = stops
    .map((stop) => ({ begin: text.indexOf(stop), length: stop.length }))
    .filter(({ begin }) => begin >= 0)
    .toSorted((a, b) => a.begin + a.length - (b.begin + b.length) || a.begin - b.begin);
  return first?.begin;
}

/** The length of the longest end of `text` that is a beginning of `stop`. */
function overlap(text: string, stop: string): number {
  for (let length = Math.min(text.length, stop.length - 1); length > 0; length--)
    if (text.endsWith(stop.slice(0, length))) return length;
  return 0;
}
