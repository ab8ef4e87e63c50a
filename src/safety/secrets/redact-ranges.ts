import type { Finding } from '../rule.ts';
import type { Range } from './secret-forms.ts';

/** Replaces each range with a mark; overlapping ranges get one mark. */
export function redactRanges(text: string, ranges: readonly Range[]): Finding {
  const pieces: string[] = [];
  let times = 0;
  let end = 0;
  for (const range of ranges.toSorted((one, other) => one.start - other.start)) {
    if (range.start >= end) {
      pieces.push(text.slice(end, range.start), `[redacted:${range.name}]`);
      times++;
    }
    end = Math.max(end, range.end);
  }
  return times === 0 ? { times, text } : { times, text: pieces.join('') + text.slice(end) };
}
