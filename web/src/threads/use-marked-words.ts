import { useLocation } from '@tanstack/react-router';
import { useEffect } from 'react';

declare module '@tanstack/react-router' {
  interface HistoryState {
    /** The words that led to a message, which are marked when it is shown. */
    readonly found?: readonly string[];
  }
}

const NAME = 'found';
const SHOWN_MS = 3000;
/** A long thread is loaded up to the message first. */
const PATIENCE_MS = 10_000;

/** Marks the words of a search in the thread that it has led to, for three seconds. */
export function useMarkedWords(): void {
  const words = useLocation({ select: ({ state }) => state.found });
  const at = useLocation({ select: ({ hash }) => hash });
  useEffect(() => {
    if (!words || at === '' || !('highlights' in CSS)) return;
    const timers: ReturnType<typeof setTimeout>[] = [];
    const end = () => {
      observer.disconnect();
      for (const timer of timers) clearTimeout(timer);
      CSS.highlights.delete(NAME);
    };
    const mark = () => {
      const ranges = findRanges(words);
      if (ranges.length === 0) return;
      CSS.highlights.set(NAME, new Highlight(...ranges));
      if (timers.length === 1) timers.push(setTimeout(end, SHOWN_MS));
    };
    const observer = new MutationObserver(mark);
    timers.push(setTimeout(end, PATIENCE_MS));
    observer.observe(document.body, { childList: true, subtree: true, characterData: true });
    mark();
    return end;
  }, [words, at]);
}

function findRanges(words: readonly string[]): Range[] {
  const log = document.querySelector('[role=log]');
  if (!log) return [];
  const pattern = new RegExp(words.map((word) => RegExp.escape(word)).join('|'), 'gi');
  const texts = document.createTreeWalker(log, NodeFilter.SHOW_TEXT);
  const ranges: Range[] = [];
  for (let text = texts.nextNode(); text; text = texts.nextNode())
    for (const { index, 0: match } of (text.nodeValue ?? '').matchAll(pattern)) {
      const range = new Range();
      range.setStart(text, index);
      range.setEnd(text, index + match.length);
      ranges.push(range);
    }
  return ranges;
}
