// oxlint-disable-next-line import/no-unassigned-import -- the bundler loads the styles together with this module
import 'katex/dist/katex.min.css';
import katex from 'katex';
import { useLayoutEffect, useRef } from 'react';

/** No command that links, loads or adds HTML works, and neither macros nor sizes can grow without bound. */
const OPTIONS = { trust: false, strict: 'ignore', maxSize: 40, maxExpand: 300 } as const;

/** It is built from nodes, not from HTML: the policy of the page refuses style attributes in HTML. */
export function Formula({ source, display }: { readonly source: string; readonly display: boolean }) {
  const place = useRef<HTMLSpanElement>(null);
  useLayoutEffect(() => {
    const span = place.current;
    if (!span) return;
    try {
      katex.render(source, span, { ...OPTIONS, displayMode: display });
    } catch {
      span.textContent = source; // not a formula, or not complete yet
    }
  }, [source, display]);
  return <span ref={place} className={display ? 'block' : ''} />;
}
