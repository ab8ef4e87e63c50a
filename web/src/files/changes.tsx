import { plural, t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Fragment, useEffect, useMemo, useRef, useState } from 'react';
import { Icon } from '../parts/icon.tsx';
import { foldSame, type Line, type Piece, pairLines } from './diff.ts';
import { LineText } from './line-text.tsx';
import { type Tokens, useColours } from './use-colours.ts';

const WIDE = 720;

type Props = {
  readonly lines: readonly Line[];
  /** Of the code; left out for prose. */
  readonly language?: string;
};

/** What a version changed, line by line: in one column, or in two where there is room. */
export function Changes({ lines, language = '' }: Props) {
  const box = useRef<HTMLDivElement>(null);
  const isWide = useIsWide(box);
  const tokensOf = useTokens(lines, language);
  if (lines.every(({ kind }) => kind === 'same'))
    return (
      <p className="p-4 text-soft">
        <Trans>Both versions have the same text.</Trans>
      </p>
    );
  return (
    <div ref={box} className="min-w-full py-2">
      <table className="w-full border-collapse changed-lines">
        <caption className="sr-only">
          <Trans>Changes</Trans>
        </caption>
        {foldSame(lines).map((piece, index) => (
          <PieceRows key={index} piece={piece} isWide={isWide} tokensOf={tokensOf} />
        ))}
      </table>
    </div>
  );
}

type TokensOf = (line: Line) => Tokens | undefined;

/** The colours of both texts; a line that is in both is coloured as in the later one. */
function useTokens(lines: readonly Line[], language: string): TokensOf {
  const [before, after] = useMemo(() => {
    const without = (kind: Line['kind']) => lines.flatMap((line) => (line.kind === kind ? [] : [line.text])).join('\n');
    return [without('added'), without('removed')];
  }, [lines]);
  const [then, now] = [useColours(before, language), useColours(after, language)];
  return ({ kind, before: old, after: recent }) =>
    kind === 'removed' ? then?.[(old ?? 0) - 1] : now?.[(recent ?? 0) - 1];
}

type PieceProps = { readonly piece: Piece; readonly isWide: boolean; readonly tokensOf: TokensOf };

function PieceRows({ piece, isWide, tokensOf }: PieceProps) {
  const [isOpen, setOpen] = useState(!piece.isFolded);
  const { lines } = piece;
  if (!isOpen)
    return (
      <tbody>
        <tr>
          <td colSpan={6} className="py-1">
            <button
              type="button"
              onClick={() => setOpen(true)}
              className="flex min-h-target w-full items-center gap-2 bg-sunken px-4 font-sans text-soft hover:text-ink focus-visible:-outline-offset-2"
            >
              <Icon name="right" />
              {plural(lines.length, { one: '# line as before', other: '# lines as before' })}
            </button>
          </td>
        </tr>
      </tbody>
    );
  return (
    <tbody>
      {isWide
        ? pairLines(lines).map(([before, after], index) => (
            <tr key={index}>
              <Side line={before} number={before?.before} tokensOf={tokensOf} />
              <Side line={after} number={after?.after} tokensOf={tokensOf} />
            </tr>
          ))
        : lines.map((line, index) => (
            <tr key={index}>
              <Side line={line} number={line.after ?? line.before} tokensOf={tokensOf} isAlone />
            </tr>
          ))}
    </tbody>
  );
}

const LOOKS = {
  same: { sign: '', wash: '', colour: '', sayer: () => '' },
  removed: { sign: '−', wash: 'bg-failed-wash', colour: 'text-failed', sayer: () => t`removed` },
  added: { sign: '+', wash: 'bg-done-wash', colour: 'text-done', sayer: () => t`added` },
};

type SideProps = {
  readonly line: Line | undefined;
  readonly number: number | undefined;
  readonly tokensOf: TokensOf;
  /** Whether it is the only one of its row. */
  readonly isAlone?: boolean;
};

function Side({ line, number, tokensOf, isAlone = false }: SideProps) {
  const { sign, wash, colour, sayer } = LOOKS[line?.kind ?? 'same'];
  return (
    <Fragment>
      <td className={`w-px ps-4 pe-2 text-end align-top text-soft select-none ${wash}`}>{number}</td>
      <td className={`w-px pe-2 align-top select-none ${wash} ${colour}`}>
        <span aria-hidden="true">{sign}</span>
        <span className="sr-only">{sayer()}</span>
      </td>
      <td
        className={`${isAlone ? 'w-full' : 'w-1/2'} pe-4 break-words whitespace-pre-wrap [overflow-wrap:anywhere] ${line ? wash : 'bg-sunken'}`}
      >
        {line && <LineText text={line.text} tokens={tokensOf(line)} />}
      </td>
    </Fragment>
  );
}

function useIsWide(box: React.RefObject<HTMLElement | null>): boolean {
  const [isWide, setWide] = useState(false);
  useEffect(() => {
    const observer = new ResizeObserver(([entry]) => setWide((entry?.contentRect.width ?? 0) >= WIDE));
    if (box.current) observer.observe(box.current);
    return () => observer.disconnect();
  }, [box]);
  return isWide;
}
