import { plural } from '@lingui/core/macro';
import { type ReactNode, useLayoutEffect, useRef, useState } from 'react';

/** A long message is folded after 12 lines. */
export function FoldedText({ children }: { readonly children: ReactNode }) {
  const box = useRef<HTMLDivElement>(null);
  const [lines, setLines] = useState(0);
  const [isWhole, setWhole] = useState(false);
  useLayoutEffect(() => {
    const { current } = box;
    if (!current || isWhole) return;
    const isCut = current.scrollHeight > current.clientHeight + 1;
    setLines(isCut ? Math.round(current.scrollHeight / Number.parseFloat(getComputedStyle(current).lineHeight)) : 0);
  }, [isWhole]);
  return (
    <>
      <div ref={box} className={isWhole ? '' : 'max-h-[12lh] overflow-hidden'}>
        {children}
      </div>
      {lines > 0 && !isWhole && (
        <button
          type="button"
          className="min-h-target link text-meta text-soft hover:text-ink"
          onClick={() => setWhole(true)}
        >
          {plural(lines, { one: 'Show all, # line', other: 'Show all, # lines' })}
        </button>
      )}
    </>
  );
}
