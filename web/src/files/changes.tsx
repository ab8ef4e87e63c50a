import { plural, t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Fragment, useEffect, useRef, useState } from 'react';
import { Icon } from '../parts/icon.tsx';
import { foldSame, type Line, type Piece, pairLines } from './diff.ts';

const WIDE = 720;

/** What a version changed, line by line: in one column, or in two where there is room. */
export function Changes({ lines }: { readonly lines: readonly Line[] }) {
  const box = useRef<HTMLDivElement>(null);
  const isWide = useIsWide(box);
  if (lines.every(({ kind }) => kind === 'same'))
    return (
      <p className="p-4 text-soft">
        <Trans>Both versions have the same text.</Trans>
      </p>
    );
  return (
    <div ref={box} className="min-w-full py-2">
      <table className="w-full border-collapse font-mono text-meta">
        <caption className="sr-only">
          <Trans>Changes</Trans>
        </caption>
        {foldSame(lines).map((piece, index) => (
          <PieceRows key={index} piece={piece} isWide={isWide} />
        ))}
      </table>
    </div>
  );
}

function PieceRows({ piece, isWide }: { readonly piece: Piece; readonly isWide: boolean }) {
  const [isOpen, setOpen] = useState(!piece.isFolded);
  const { lines } = piece;
  if (!isOpen)
    return (
      <tbody>
        <tr>
          <td colSpan={6} className="bg-sunken">
            <button
              type="button"
              onClick={() => setOpen(true)}
              className="flex min-h-target w-full items-center gap-2 px-4 font-sans text-soft hover:text-ink"
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
              <Side line={before} number={before?.before} />
              <Side line={after} number={after?.after} />
            </tr>
          ))
        : lines.map((line, index) => (
            <tr key={index}>
              <Side line={line} number={line.after ?? line.before} isAlone />
            </tr>
          ))}
    </tbody>
  );
}

const LOOKS = {
  same: { sign: '', className: '', sayer: () => '' },
  removed: { sign: '−', className: 'bg-failed-wash', sayer: () => t`removed` },
  added: { sign: '+', className: 'bg-done-wash', sayer: () => t`added` },
};

type SideProps = {
  readonly line: Line | undefined;
  readonly number: number | undefined;
  /** Whether it is the only one of its row. */
  readonly isAlone?: boolean;
};

function Side({ line, number, isAlone = false }: SideProps) {
  const { sign, className, sayer } = LOOKS[line?.kind ?? 'same'];
  return (
    <Fragment>
      <td className={`w-px ps-4 pe-2 text-end align-top text-soft select-none ${className}`}>{number}</td>
      <td className={`w-px pe-2 align-top select-none ${className}`}>
        <span aria-hidden="true">{sign}</span>
        <span className="sr-only">{sayer()}</span>
      </td>
      <td
        className={`${isAlone ? 'w-full' : 'w-1/2'} pe-4 break-words whitespace-pre-wrap [overflow-wrap:anywhere] ${line ? className : 'bg-sunken'}`}
      >
        {line?.text}
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
