import type { CodeHighlighterPlugin, HighlightResult } from 'streamdown';
import type { CodeToColour, ColouredCode } from '../../../../worker/highlighter-messages.ts';
import { type Coloured, colouredSoFar } from './coloured-so-far.ts';

/** Enough for a grammar to be loaded and compiled on a slow machine. */
const MOST_MS = 30_000;
const MOST_KEPT_CHARACTERS = 500_000;

export type HighlightWorker = { readonly ask: (job: CodeToColour) => void; readonly end: () => void };

type Job = CodeToColour & {
  readonly isIncomplete: boolean;
  readonly whenDone: ((result: HighlightResult) => void) | undefined;
};

/**
 * Code is shown at once, and coloured in a worker: a grammar takes seconds to compile on a slow machine, and code can be
 * written so that its colours take forever. Then the worker is ended, and the code stays as it is.
 */
export function createHighlighter(
  startWorker: (whenAnswered: (answer: ColouredCode) => void) => HighlightWorker,
): CodeHighlighterPlugin {
  /** The newest is the last. */
  let kept: readonly Coloured[] = [];
  let waiting: readonly Job[] = [];
  let running: { readonly job: Job; readonly limit: NodeJS.Timeout } | undefined;
  let worker: HighlightWorker | undefined;

  const find = ({ code, language }: CodeToColour) =>
    kept.find((known) => known.code === code && known.language === language);

  function keep({ code, language, isIncomplete }: Job, result: HighlightResult): void {
    const others = kept.filter((known) => !isOlderVersion(known, { code, language }));
    kept = withinLimit([...others, { code, language, isIncomplete, result }]);
  }

  function colourNext(): void {
    const [job, ...later] = waiting;
    if (running || !job) return;
    waiting = later;
    const known = find(job);
    if (known) {
      job.whenDone?.(known.result);
      return colourNext();
    }
    running = { job, limit: setTimeout(giveUp, MOST_MS, job) };
    worker ??= start();
    worker.ask({ code: job.code, language: job.language });
  }

  function start(): HighlightWorker {
    const started = startWorker((answer) => {
      if (worker === started) finish(answer); // the last answer of one that was ended may still arrive
    });
    return started;
  }

  function finish(result: ColouredCode): void {
    if (!running) return;
    const { job, limit } = running;
    clearTimeout(limit);
    running = undefined;
    if (result) {
      keep(job, result);
      job.whenDone?.(result);
    } else endWorker();
    colourNext();
  }

  function giveUp(job: Job): void {
    keep(job, colouredSoFar(job, kept));
    finish(undefined);
  }

  function endWorker(): void {
    worker?.end();
    worker = undefined;
  }

  return {
    name: 'shiki',
    type: 'code-highlighter',
    supportsLanguage: () => true,
    getSupportedLanguages: () => [],
    getThemes: () => THEMES,
    highlight: ({ code, language: name, isIncomplete = false }, whenDone) => {
      const language = name.trim().toLowerCase();
      const known = find({ code, language });
      if (known) return known.result;
      waiting = [
        ...waiting.filter((job) => !isOlderVersion(job, { code, language })),
        { code, language, isIncomplete, whenDone },
      ];
      colourNext();
      return colouredSoFar({ code, language }, kept);
    },
  };
}

/** The worker has its own; streamdown only passes these on. */
const THEMES: [string, string] = ['light', 'dark'];

/** Whether it is a block that was still being written, and has grown since. */
function isOlderVersion(block: CodeToColour & { readonly isIncomplete: boolean }, newer: CodeToColour): boolean {
  return block.isIncomplete && block.language === newer.language && newer.code.startsWith(block.code);
}

function withinLimit(blocks: readonly Coloured[]): readonly Coloured[] {
  const characters = blocks.reduce((total, { code }) => total + code.length, 0);
  return characters > MOST_KEPT_CHARACTERS && blocks.length > 1 ? withinLimit(blocks.slice(1)) : blocks;
}
