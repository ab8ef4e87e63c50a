import type { Component } from '@earendil-works/pi-tui';
import type { Entry } from '../entries.ts';
import type { Look } from './look.ts';
import { renderEntry } from './render-entry.ts';

type Kept = { readonly width: number; readonly marks: string; readonly lines: readonly string[] };

/** The entries as one long column of lines. Only what has changed is laid out again. */
export function createTranscript(look: () => Look): Component & { show(entries: readonly Entry[]): void } {
  let shown: readonly Entry[] = [];
  let kept = new WeakMap<Entry, Kept>();

  function linesOf(entry: Entry, width: number, now: Look): readonly string[] {
    const marks = `${now.focused === entry.id}${now.unfolded.has(entry.id)}`;
    const known = kept.get(entry);
    if (known?.width === width && known.marks === marks) return known.lines;
    const lines = renderEntry(entry, width, now);
    kept.set(entry, { width, marks, lines });
    return lines;
  }

  return {
    show(entries) {
      shown = entries;
    },
    render(width) {
      const now = look();
      return shown.flatMap((entry) => linesOf(entry, width, now));
    },
    invalidate() {
      kept = new WeakMap();
    },
  };
}
