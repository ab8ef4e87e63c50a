import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { useEffect, useRef, useState } from 'react';
import { Icon } from '../../parts/icon.tsx';
import { toQuotation } from './to-quotation.ts';

type Selected = { readonly text: string; readonly top: number; readonly left: number };

/** Puts what is selected in an answer into the message, as a quotation. It is beside the selection, and before the message for Tab. */
export function QuoteButton({ onQuote }: { readonly onQuote: (quotation: string) => void }) {
  const [selected, setSelected] = useState<Selected>();
  const button = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    let isPressed = false;
    const update = () => {
      if (isPressed || button.current === document.activeElement) return;
      setSelected(findSelected());
    };
    const press = ({ target }: PointerEvent) => {
      if (target instanceof Node && button.current?.contains(target)) return;
      isPressed = true;
      setSelected(undefined);
    };
    const release = () => {
      isPressed = false;
      // A press on the selection has removed it only afterwards.
      requestAnimationFrame(update);
    };
    const listening = new AbortController();
    const { signal } = listening;
    document.addEventListener('selectionchange', update, { signal });
    addEventListener('pointerdown', press, { signal });
    addEventListener('pointerup', release, { signal });
    addEventListener('pointercancel', release, { signal });
    // The rows move to their places after the window has its size.
    addEventListener('resize', () => setTimeout(update, SETTLED_MS), { signal });
    addEventListener('scroll', update, { signal, capture: true, passive: true });
    return () => listening.abort();
  }, []);
  if (!selected) return null;
  const { text, top, left } = selected;
  return (
    <button
      ref={button}
      type="button"
      title={t`Quote it in the message`}
      style={{ top, left }}
      className="fixed z-20 pops inline-flex min-h-target items-center gap-2 rounded border border-rule bg-raised px-3 text-interface font-medium shadow-float hover:bg-hover"
      onPointerDown={(event) => event.preventDefault()} // the selection stays
      onBlur={() => setSelected(findSelected())}
      onClick={() => {
        getSelection()?.removeAllRanges();
        setSelected(undefined);
        onQuote(toQuotation(text));
      }}
    >
      <Icon name="quote" />
      <Trans>Quote</Trans>
    </button>
  );
}

const SETTLED_MS = 100;
const HEIGHT = 40;
const WIDTH = 110;

/** The selected words of one answer, and the place for the button: above it, or below it where there is no room or a finger selects. */
function findSelected(): Selected | undefined {
  const selection = getSelection();
  if (!selection || selection.isCollapsed || selection.rangeCount === 0) return undefined;
  const range = selection.getRangeAt(0);
  const inside = range.commonAncestorContainer;
  const answer = (inside instanceof Element ? inside : inside.parentElement)?.closest('[data-answer]');
  const text = selection.toString().trim();
  if (!answer || text === '') return undefined;
  const { top, bottom, left } = range.getBoundingClientRect();
  const box = answer.closest('[role="log"]')?.getBoundingClientRect();
  if (!box || bottom < box.top || top > box.bottom) return undefined;
  const isAbove = top - HEIGHT > box.top && !matchMedia('(hover: none)').matches;
  return {
    text,
    top: isAbove ? top - HEIGHT : Math.min(bottom + 8, box.bottom - HEIGHT),
    left: Math.max(8, Math.min(left, box.right - WIDTH)),
  };
}
