import { Trans } from '@lingui/react/macro';
import { useEffect, useState } from 'react';
import type { HighlightResult } from 'streamdown';
import { CODE } from '../chat/markdown/markdown.tsx';
import { formatNumber } from '../format/number.ts';
import { linesOf } from './diff.ts';

const MOST_LINES = 5000;

/** A text with numbered lines, in the colours of its language. */
export function CodeLines({ text, language }: { readonly text: string; readonly language: string }) {
  const lines = linesOf(text);
  const shown = lines.slice(0, MOST_LINES);
  const coloured = useColours(shown.join('\n'), language);
  return (
    <>
      <div className="flex w-max min-w-full py-2 text-meta">
        <pre aria-hidden="true" className="sticky start-0 bg-raised ps-4 pe-3 text-end font-mono text-soft select-none">
          {shown.map((_, index) => index + 1).join('\n')}
        </pre>
        <pre className="pe-4 font-mono">
          <code>
            {coloured
              ? coloured.tokens.map((tokens, line) => (
                  <span key={line}>
                    {tokens.map(({ content, color }, index) => (
                      <span key={index} style={{ color }}>
                        {content}
                      </span>
                    ))}
                    {'\n'}
                  </span>
                ))
              : shown.join('\n')}
          </code>
        </pre>
      </div>
      {lines.length > MOST_LINES && (
        <p className="p-3 text-meta text-soft">
          <Trans>The first {formatNumber(MOST_LINES)} lines are shown. Download the file to see all.</Trans>
        </p>
      )}
    </>
  );
}

/** Long texts have one colour: their colours would take too long. */
const MOST_COLOURED = 100_000;

function useColours(code: string, language: string): HighlightResult | undefined {
  const [coloured, setColoured] = useState<HighlightResult>();
  useEffect(() => {
    setColoured(undefined);
    if (code.length > MOST_COLOURED) return;
    let isGone = false;
    const take = (result: HighlightResult) => !isGone && setColoured(result);
    const known = CODE.highlight({ code, language, themes: CODE.getThemes() }, take);
    if (known) take(known);
    return () => {
      isGone = true;
    };
  }, [code, language]);
  return coloured;
}
