import { createHighlighterCore } from 'shiki/core';
import { createJavaScriptRegexEngine } from 'shiki/engine/javascript';
import { bundledLanguages } from 'shiki/langs';
import { CODE_THEME } from './code-theme.ts';
import type { CodeToColour, ColouredCode } from './highlighter-messages.ts';

declare const self: DedicatedWorkerGlobalScope;

const highlighter = createHighlighterCore({
  themes: [CODE_THEME],
  engine: createJavaScriptRegexEngine({ forgiving: true }),
});

self.addEventListener('message', ({ data }: MessageEvent<CodeToColour>) => {
  void colour(data)
    .catch(() => undefined)
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a page, as seen from its worker
    .then((coloured) => self.postMessage(coloured));
});

async function colour({ code, language }: CodeToColour): Promise<ColouredCode> {
  const { loadLanguage, codeToTokens } = await highlighter;
  const isKnown = Object.hasOwn(bundledLanguages, language);
  if (isKnown) await loadLanguage(bundledLanguages[language as keyof typeof bundledLanguages]);
  // The first line of a language takes seconds on a slow machine, because its expressions are compiled then. So a
  // line has no limit; the page ends this worker when it takes too long.
  const lang = isKnown ? language : 'text';
  const coloured = codeToTokens(code, { lang, theme: CODE_THEME.name, tokenizeTimeLimit: 0 });
  delete coloured.grammarState; // it can't be sent to the page
  return coloured;
}
