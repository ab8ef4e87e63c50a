import { truncateToWidth, visibleWidth, wrapTextWithAnsi } from '@earendil-works/pi-tui';
import { didSentence, doesSentence, type Part, type Reader } from '@reborn-agent/client/call-card';
import { exactJson } from '@reborn-agent/client/exact-json';
import { outlineArguments } from '@reborn-agent/client/format';
import type { Entry } from '../entries.ts';
import { highlightData } from './code/highlight-code.ts';
import type { Colours, Paint } from './colours.ts';
import type { Look } from './look.ts';
import { oneLine, printable } from './printable.ts';

type Step = Extract<Entry, { kind: 'tool' }>;

const MOST_UNFOLDED_LINES = 200;
const MOST_PROGRESS = 40;

/** Times are written as in the zone of the terminal. */
export const READER: Reader = { language: 'en', locales: ['en-GB'] };

/** A call in one line, with a verb for what its tool does; unfolded, its name, exact arguments and result. */
export function renderStep(entry: Step, width: number, { colours, focused, unfolded }: Look): string[] {
  const isOpen = unfolded.has(entry.id);
  const isFocused = focused === entry.id;
  const plain: Paint = (text) => text;
  const words = sentenceOf(entry)
    .map(({ kind, text }) =>
      (kind === 'strong' && !isFocused ? colours.bold : plain)(printable(text).replace(/\s+/g, ' ')),
    )
    .join('');
  const said = `${isOpen ? 'v' : '>'} ${words}`;
  const state = entry.output === undefined ? stateOf(entry, colours) : colours.faint(outcomeOf(entry));
  const head = truncateToWidth(said, Math.max(1, width - visibleWidth(state) - 2), '…');
  const room = Math.max(0, width - visibleWidth(head) - visibleWidth(state) - 4);
  const outline = truncateToWidth(outlineOf(entry), room, '…');
  const facts = [...(outline ? [colours.faint(outline)] : []), ...(state ? [state] : [])];
  const shown = truncateToWidth([isFocused ? colours.inverse(head) : head, ...facts].join('  '), width);
  if (!isOpen) return [shown];
  const body = [
    ...block(`arguments of ${oneLine(entry.name)}`, entry.arguments, width, colours),
    ...block('result', entry.output ?? 'none', width, colours),
  ];
  return [shown, ...body];
}

function sentenceOf(entry: Step): readonly Part[] {
  if (entry.output === undefined) return doesSentence(entry, READER);
  if (!isNotRun(entry)) return didSentence(entry, READER);
  return [{ kind: 'strong', text: 'Not run:' }, { kind: 'words', text: ' ' }, ...doesSentence(entry, READER)];
}

const isNotRun = ({ decided, began }: Step) =>
  began === 0 || decided?.answer === 'denied' || decided?.answer === 'expired';

/** What a call is about whose tool has no sentence for it. */
const outlineOf = (entry: Step) => (entry.card?.templates?.length ? '' : oneLine(outlineArguments(entry.arguments)));

function stateOf({ state, progress }: Step, { running, waiting, faint }: Colours): string {
  if (state === 'waiting') return waiting('waits');
  if (state === 'stopped') return faint('stopped');
  if (state === 'unknown') return '';
  return running(progress === undefined ? 'running' : truncateToWidth(oneLine(progress), MOST_PROGRESS, '…'));
}

/** Who let the call run or not; of other calls, how long it took. */
function outcomeOf(entry: Step): string {
  const { decided } = entry;
  if (!decided) return durationOf(entry);
  if (decided.answer === 'rule') return `allowed by a rule, ${durationOf(entry)}`;
  if (decided.answer === 'expired') return 'expired after 24 hours';
  const by = decided.by === 'operator' ? 'the operator' : 'you';
  const at = decided.at === undefined ? '' : `, ${timeOf(decided.at)}`;
  if (decided.answer === 'approved') return `approved by ${by}${at}`;
  const reason = decided.reason === undefined ? '' : `“${oneLine(decided.reason)}”, `;
  return `${reason}denied by ${by}${at}`;
}

/** The day, too, unless it is today. */
function timeOf(at: string): string {
  const when = new Date(at);
  const time = { hour: '2-digit', minute: '2-digit' } as const;
  const isToday = when.toDateString() === new Date().toDateString();
  return when.toLocaleString('en-GB', isToday ? time : { ...time, day: 'numeric', month: 'short' });
}

function durationOf({ began, ended }: Step): string {
  return began > 0 && ended !== undefined && ended >= began ? `${((ended - began) / 1000).toFixed(1)} s` : 'done';
}

function block(title: string, text: string, width: number, colours: Colours): string[] {
  const { faint } = colours;
  const lines = highlightData(printable(exactJson(text).text), colours)
    .flatMap((line) => wrapTextWithAnsi(line, Math.max(1, width - 4)))
    .map((line) => `    ${line}`);
  const shown = lines.slice(0, MOST_UNFOLDED_LINES);
  const rest = lines.length - shown.length;
  return [faint(`  ${title}`), ...shown, ...(rest > 0 ? [faint(`    and ${rest} more lines`)] : [])];
}
