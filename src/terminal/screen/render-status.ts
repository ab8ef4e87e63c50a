import { truncateToWidth, visibleWidth } from '@earendil-works/pi-tui';
import { formatCost, formatShare, formatTokens } from '@reborn-agent/client/format';
import type { Colours } from './colours.ts';
import { oneLine } from './printable.ts';

export type ConnectionState = 'connecting' | 'live' | 'lost';

export type Status = {
  readonly model: string;
  /** In US dollars; null while it is unknown. */
  readonly cost: string | null;
  /** The tokens of the last prompt and its answer, and how many its model can have. */
  readonly context: { readonly tokens: number; readonly window: number | undefined };
  readonly connection: ConnectionState;
  /** Seconds since the line was lost. */
  readonly lostFor: number;
  readonly running: boolean;
  /** Whether Esc stops a turn: it runs, or waits for an answer. */
  readonly stoppable: boolean;
  /** Seconds since the running turn began. */
  readonly workedFor: number;
  /** How many tokens it has written, about. */
  readonly written: number;
  /** The model failed and is asked again. */
  readonly trouble: string | undefined;
  /** Whether the composer holds an earlier message that is edited. */
  readonly editing: boolean;
  /** Whether the history is searched. */
  readonly searching: boolean;
  /** Whether there are newer lines below the screen. */
  readonly scrolled: boolean;
};

/** The line at the bottom: what it costs on the left, what one can do on the right. Whether it is connected goes last. */
export function renderStatus(status: Status, width: number, colours: Colours): string {
  const { faint } = colours;
  const facts = [faint(status.model), contextOf(status, colours), faint(formatCost(status.cost))];
  const connection = connectionOf(status, colours);
  const right = faint(hintOf(status));
  const room = status.editing ? width - visibleWidth(right) - LEAST_GAP : width; // how to get out of editing is always said
  while (facts.length > 0 && visibleWidth([...facts, connection].join('  ')) > room)
    facts.splice(facts.length > 2 ? 1 : -1, 1);
  const left = [...facts, connection].join('  ');
  const gap = width - visibleWidth(left) - visibleWidth(right);
  return gap < LEAST_GAP ? truncateToWidth(left, width) : left + ' '.repeat(gap) + right;
}

const LEAST_GAP = 2;

/** Above this share, what is older will soon be summed up. */
const NEARLY_FULL = 0.8;

function contextOf({ context: { tokens, window } }: Status, { faint, waiting }: Colours): string {
  if (window === undefined) return faint(`${formatTokens(tokens)} tokens of context`);
  const share = Math.min(1, tokens / window);
  return (share >= NEARLY_FULL ? waiting : faint)(`${formatShare(share)} of the context`);
}

function connectionOf(
  { connection, lostFor, running, workedFor, written, trouble }: Status,
  { running: blue, failed, waiting, faint }: Colours,
): string {
  if (connection === 'lost') return failed(`not connected, trying again (${lostFor} s)`);
  if (connection === 'connecting') return waiting('connecting');
  if (running && trouble) return waiting(oneLine(trouble));
  const seconds = workedFor > 0 ? ` ${workedFor} s` : '';
  const tokens = written > 0 ? `, ~${formatTokens(written)} tokens` : '';
  return running ? blue(`working${seconds}${tokens}`) : faint('live');
}

function hintOf({ stoppable, scrolled, searching, editing }: Status): string {
  if (searching) return 'Esc closes the search';
  if (editing) return 'Enter replaces the message, Esc keeps it';
  if (stoppable) return 'Esc stops';
  if (scrolled) return 'Esc goes to the end';
  return '/help';
}
