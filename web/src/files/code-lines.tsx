import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { type KeyboardEvent, type RefObject, useEffect, useMemo, useRef, useState } from 'react';
import { formatNumber } from '../format/number.ts';
import { IconButton } from '../parts/button.tsx';
import { linesOf } from './diff.ts';
import { findInLines, type Match, MOST_MATCHES } from './find-in-lines.ts';
import { LineText } from './line-text.tsx';
import { useColours } from './use-colours.ts';

const MOST_LINES = 5000;

/** A text with numbered lines, in the colours of its language, with a search in it. */
export function CodeLines({ text, language }: { readonly text: string; readonly language: string }) {
  const lines = useMemo(() => linesOf(text), [text]);
  const shown = useMemo(() => lines.slice(0, MOST_LINES), [lines]);
  const coloured = useColours(shown.join('\n'), language);
  const [wraps, setWraps] = useState(false);
  const [words, setWords] = useState('');
  const [at, setAt] = useState(0);
  const box = useRef<HTMLDivElement>(null);
  const matches = useMemo(() => findInLines(shown, words), [shown, words]);
  const current = matches[at % Math.max(1, matches.length)];
  useMarks(box, matches, current, coloured);
  const step = (by: number) => setAt((before) => (before + by + matches.length) % Math.max(1, matches.length));
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Enter') step(event.shiftKey ? -1 : 1);
    else if (event.key === 'Escape' && words !== '') setWords('');
    else return;
    event.preventDefault();
    event.stopPropagation(); // Esc would stop the answer, too
  };
  return (
    <>
      <div className="sticky start-0 top-0 z-2 flex items-center gap-1 border-b border-line bg-raised ps-4 pe-2">
        <input
          type="search"
          aria-label={t`Search in the file`}
          placeholder={t`Search in the file`}
          value={words}
          onChange={(event) => {
            setWords(event.target.value);
            setAt(0);
          }}
          onKeyDown={onKeyDown}
          className="min-h-target min-w-0 flex-1 bg-transparent text-meta [&::-webkit-search-cancel-button]:hidden"
        />
        {words !== '' && (
          <>
            <span role="status" className="text-meta tabular-nums text-soft">
              {countWords(matches.length, current ? matches.indexOf(current) : -1)}
            </span>
            <IconButton
              icon="down"
              label={t`Previous match`}
              className="rotate-180"
              disabled={!current}
              onClick={() => step(-1)}
            />
            <IconButton icon="down" label={t`Next match`} disabled={!current} onClick={() => step(1)} />
          </>
        )}
        <IconButton
          icon="wrap"
          label={t`Wrap lines`}
          aria-pressed={wraps}
          className={wraps ? 'bg-hover' : ''}
          onClick={() => setWraps((before) => !before)}
        />
      </div>
      <div
        ref={box}
        className={`py-2 font-mono text-meta ${wraps ? '' : 'w-max min-w-full'}`}
        style={{ '--digits': `${String(shown.length).length}ch` } as React.CSSProperties}
      >
        {shown.map((line, index) => (
          <div key={index} className="flex">
            <span
              aria-hidden="true"
              className="sticky start-0 box-content w-(--digits) shrink-0 bg-raised ps-4 pe-3 text-end text-soft select-none"
            >
              {index + 1}
            </span>
            <code
              data-line
              className={`min-w-0 pe-4 ${wraps ? 'break-words whitespace-pre-wrap [overflow-wrap:anywhere]' : 'whitespace-pre'}`}
            >
              <LineText text={line} tokens={coloured?.[index]} />
              {'\n'}
            </code>
          </div>
        ))}
      </div>
      {lines.length > MOST_LINES && (
        <p className="p-3 text-meta text-soft">
          <Trans>The first {formatNumber(MOST_LINES)} lines are shown. Download the file to see all.</Trans>
        </p>
      )}
    </>
  );
}

function countWords(count: number, current: number): string {
  if (count === 0) return t`No matches`;
  const all = count === MOST_MATCHES ? `${formatNumber(count)}+` : formatNumber(count);
  return t`${formatNumber(current + 1)} of ${all}`;
}

const FOUND = 'in-file';
const CURRENT = 'in-file-now';

/** Marks what was found, and shows where one is. */
function useMarks(
  box: RefObject<HTMLElement | null>,
  matches: readonly Match[],
  current: Match | undefined,
  coloured: unknown,
): void {
  useEffect(() => {
    const lines = box.current?.querySelectorAll('[data-line]');
    if (!lines || !current) return;
    const ranges = new Map(matches.map((match) => [match, toRange(lines[match.line], match)]));
    const now = ranges.get(current);
    ranges.delete(current);
    CSS.highlights?.set(FOUND, new Highlight(...ranges.values()));
    CSS.highlights?.set(CURRENT, new Highlight(...(now ? [now] : [])));
    now?.startContainer.parentElement?.scrollIntoView({ block: 'center', inline: 'nearest' });
    return () => {
      CSS.highlights?.delete(FOUND);
      CSS.highlights?.delete(CURRENT);
    };
  }, [box, matches, current, coloured]); // the colours replace the texts that were marked
}

/** A match may span several pieces of its line, each with its own colour. */
function toRange(line: Element | undefined, { start, end }: Match): Range {
  const range = new Range();
  if (!line) return range;
  const texts = document.createTreeWalker(line, NodeFilter.SHOW_TEXT);
  let before = 0;
  for (let text = texts.nextNode(); text; text = texts.nextNode()) {
    const length = text.nodeValue?.length ?? 0;
    if (start >= before && start < before + length) range.setStart(text, start - before);
    if (end > before && end <= before + length) range.setEnd(text, end - before);
    before += length;
  }
  return range;
}
