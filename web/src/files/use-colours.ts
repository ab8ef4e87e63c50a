import { useEffect, useState } from 'react';
import type { HighlightResult } from 'streamdown';
import { CODE } from '../chat/markdown/markdown.tsx';

/** The pieces of a line, each with its colour. */
export type Tokens = HighlightResult['tokens'][number];

/** Long texts have one colour: their colours would take too long. */
const MOST_COLOURED = 100_000;

/** The lines of a text in the colours of its language, once they are known. */
export function useColours(code: string, language: string): readonly Tokens[] | undefined {
  const [coloured, setColoured] = useState<HighlightResult>();
  useEffect(() => {
    setColoured(undefined);
    if (code.length > MOST_COLOURED || language === '') return;
    let isGone = false;
    const take = (result: HighlightResult) => !isGone && setColoured(result);
    const known = CODE.highlight({ code, language, themes: CODE.getThemes() }, take);
    if (known) take(known);
    return () => {
      isGone = true;
    };
  }, [code, language]);
  return coloured?.tokens;
}
