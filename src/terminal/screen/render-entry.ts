import { truncateToWidth, visibleWidth, wrapTextWithAnsi } from '@earendil-works/pi-tui';
import type { OpenGate } from '@reborn-agent/client/api';
import { whyNotApprovable } from '@reborn-agent/client/approvable';
import { askSentence, type LabelledValue, plainText, textOfValue, valuesOf } from '@reborn-agent/client/call-card';
import { exactJson } from '@reborn-agent/client/exact-json';
import { type AskedCall, addressOf, describeAddress, describeReason } from '@reborn-agent/client/gate-card';
import { askerOf } from '@reborn-agent/client/subagents';
import type { Entry } from '../entries.ts';
import { keysOf, tickedCalls } from '../gate-keys.ts';
import type { Colours, Paint } from './colours.ts';
import type { Look } from './look.ts';
import { oneLine, printable } from './printable.ts';
import { READER, renderStep } from './render-step.ts';
import { renderSubagents } from './render-subagents.ts';

const UNREAD = 'not read by the model, Tab to send again';

/** One entry as lines of at most `width` columns, with the empty line that follows it. */
export function renderEntry(entry: Entry, width: number, look: Look): string[] {
  return [...linesOf(entry, width, look), ''].map((line) =>
    visibleWidth(line) > width ? truncateToWidth(line, width, '') : line,
  );
}

function linesOf(entry: Entry, width: number, look: Look): string[] {
  switch (entry.kind) {
    case 'said':
      return renderSaid(entry, width, look);
    case 'tool':
      return [...renderStep(entry, width, look), ...renderSubagents(entry.subagents ?? [], width, look)];
    case 'gate':
      return renderGate(entry, width, look);
    case 'queued':
      return renderQueued(entry, width, look);
    case 'pick-up':
      return [look.colours.faint(truncateToWidth(pickedUp(entry.gapMs), width))];
    case 'note': {
      const { failed, faint } = look.colours;
      return entry.tone === 'failed' ? wrap(`! ${entry.text}`, width, failed) : wrap(entry.text, width, faint);
    }
  }
}

/** Where a crash was; how long it took, if this terminal saw it. */
function pickedUp(gapMs: number | undefined): string {
  const after = gapMs === undefined ? '' : ` after ${(gapMs / 1000).toFixed(1)} s`;
  return `- - Picked up${after}, nothing was lost - -`;
}

function renderSaid(entry: Extract<Entry, { kind: 'said' }>, width: number, look: Look): string[] {
  const { colours, markdown } = look;
  const version = entry.version === undefined ? [] : [versionOf(entry.version, look.focused === entry.id, colours)];
  if (entry.role === 'user') {
    const state =
      entry.state === 'pending' ? [colours.waiting('not sent yet')] : entry.isRefused ? [colours.waiting(UNREAD)] : [];
    const hint = entry.isRefused ? 'Enter sends again' : 'Left, Right other versions   Enter edits';
    const keys = look.focused === entry.id ? wrap(hint, width, colours.inverse) : [];
    return [[colours.bold('You'), ...state, ...version].join('  '), ...wrap(entry.text, width), ...keys];
  }
  const keys = look.focused === entry.id ? wrap('Left, Right other answers', width, colours.inverse) : [];
  const lines = markdown(entry.text, width, entry.state === 'streaming');
  return [[colours.bold('Reborn'), ...version].join('  '), ...lines, ...keys];
}

const versionOf = (version: string, isFocused: boolean, { faint, inverse }: Colours) =>
  isFocused ? inverse(`< ${version} >`) : faint(version);

function renderQueued(entry: Extract<Entry, { kind: 'queued' }>, width: number, look: Look): string[] {
  const { bold, waiting, inverse } = look.colours;
  const keys = entry.editable ? 'Enter edits   Delete withdraws' : 'Delete withdraws';
  const hint = look.focused === entry.id ? wrap(keys, width, inverse) : [];
  return [`${bold('You')}  ${waiting(WAITS[entry.waitsFor])}`, ...wrap(entry.text, width), ...hint];
}

const WAITS = { answer: 'read after you answer', step: 'read after this step', turn: 'next in line' };

function renderGate(entry: Extract<Entry, { kind: 'gate' }>, width: number, look: Look): string[] {
  const { waiting, faint, bold, inverse } = look.colours;
  const { gate, unticked, answer } = entry;
  const { calls } = gate;
  const names = calls.map(({ name }) => oneLine(name)).join(', ');
  const isExact = look.unfolded.has(gate.id);
  if (answer !== undefined) return [faint(truncateToWidth(`${names}: ${answer}`, width))];
  const isFocused = look.focused === entry.id;
  const inside = Math.max(1, width - 2);
  const reason = describeReason(gate);
  const asker = askerOf(gate);
  const lines = [
    ...wrap(questionOf(gate), inside, bold),
    ...(asker === undefined ? [] : wrap(`Asked by the subagent ${oneLine(asker)}`, inside, faint)),
    ...(reason === undefined ? [] : wrap(reason, inside)),
    ...calls.flatMap((call, index) =>
      calls.length === 1
        ? callLines(call, inside, look.colours, isExact)
        : numberedCall(call, index + 1, !unticked.has(call.call_id), inside, look.colours, isExact),
    ),
    ...(gate.always && gate.situation !== 'clean' ? wrap(ALWAYS_AFTER, inside, faint) : []),
    ...wrap(hintOf(entry, isFocused), inside, isFocused ? inverse : faint),
  ];
  return lines.map((line) => `${waiting('!')} ${line}`);
}

const ALWAYS_AFTER = 'Always holds also after reading text by others.';

function numberedCall(
  call: AskedCall,
  number: number,
  isTicked: boolean,
  width: number,
  colours: Colours,
  isExact: boolean,
): string[] {
  const mark = isTicked && whyNotApprovable(call) === undefined ? 'x' : ' ';
  const head = wrap(`[${mark}] ${number} ${oneLine(plainText(askSentence(call, READER)))}`, width, colours.bold);
  return [...head, ...callLines(call, Math.max(1, width - 4), colours, isExact).map((line) => `    ${line}`)];
}

/** What a call does, by its labels; with `isExact` exactly what runs. And what is asked about its address. */
function callLines(call: AskedCall, width: number, colours: Colours, isExact: boolean): string[] {
  const refusal = whyNotApprovable(call);
  if (refusal !== undefined) return wrap(refusal, width);
  const values = valuesOf(call, READER);
  const says = call.card?.says !== undefined && !call.card.templates?.length ? call.card.says : undefined;
  return [
    ...(says === undefined
      ? []
      : wrap(`${call.card?.server ?? 'Its author'} says: “${oneLine(says)}”`, width, colours.faint)),
    ...(values ?? []).flatMap((value) => valueLines(value, width, colours)),
    ...(isExact || values === undefined ? exactLines(call, width, colours) : []),
    ...addressLines(call, width, colours),
  ];
}

function exactLines(call: AskedCall, width: number, colours: Colours): string[] {
  const { text, warnings } = exactJson(call.arguments);
  return [...wrap(text, width), ...warnings.flatMap((line) => wrap(line, width, colours.faint))];
}

const LABEL_WIDTH = 14;

/** The label is before the first line of the value, and the others are indented. */
function valueLines({ label, lines, name }: LabelledValue, width: number, { faint }: Colours): string[] {
  const shown = oneLine(label);
  const indent = Math.min(Math.max(LABEL_WIDTH, visibleWidth(shown) + 2), Math.floor(width / 2));
  const named = name === undefined ? [] : [name === null ? 'There is nothing with this id.' : oneLine(name)];
  const text = [...named, ...lines.map(textOfValue)].flatMap((line) => wrap(line, Math.max(1, width - indent)));
  const head = truncateToWidth(shown, Math.max(1, indent - 2), '…');
  return text.map((line, at) => {
    const before = at === 0 ? head : '';
    return `${faint(before)}${' '.repeat(Math.max(0, indent - visibleWidth(before)))}${line}`;
  });
}

/** The unshown part is marked, and repeated in words: colours alone mean nothing. */
function addressLines(call: AskedCall, width: number, { inverse }: Colours): string[] {
  const facts = addressOf(call);
  if (!facts) return [];
  const whole = facts.kind === 'composed' ? `${printable(facts.shown)}${inverse(printable(facts.unshown))}` : undefined;
  const address = whole === undefined ? [] : wrapTextWithAnsi(whole, width);
  return [...address, ...wrap(describeAddress(facts), width)];
}

function questionOf({ kind, call, calls, question }: OpenGate): string {
  const name = oneLine(call.name);
  switch (kind) {
    case 'approval':
      if (calls.length > 1) return `${calls.length} things wait for you.`;
      return oneLine(plainText(askSentence(calls[0] ?? call, READER)));
    case 'auth':
      return `${name} needs a sign-in before it can run.`;
    case 'input':
      return `${name} asks: ${oneLine(question?.message ?? '')}${question?.url ? ` Open ${oneLine(question.url)} in a browser.` : ''}`;
    case 'pairing':
      return `${name} needs a user's secrets. Pair this webhook user in the browser or with \`reborn gate answer\`, or deny.`;
    case 'external-tool':
      return `${name} is for the program that asked; its result is awaited from there.`;
  }
}

/** What can be pressed, in the order of the browser's buttons. */
function hintOf({ gate, unticked }: Extract<Entry, { kind: 'gate' }>, isFocused: boolean): string {
  const keys = keysOf(gate, unticked);
  if (keys.length === 0) return 'Esc goes back';
  if (!isFocused) return 'Tab to answer';
  const words = wordsFor(gate, tickedCalls(gate, unticked).length);
  const answers = keys.flatMap((key) => (key === 'y' || key === 'a' || key === 'n' ? `${key} ${words[key]}` : []));
  const exact = keys.includes('e') ? ['e exact arguments'] : [];
  const digits = keys.length - answers.length - exact.length;
  return [...answers, ...exact, ...(digits > 0 ? [`1-${digits} tick`] : [])].join('   ');
}

function wordsFor({ kind, calls }: OpenGate, ticked: number): Record<'y' | 'a' | 'n', string> {
  if (kind === 'auth') return { ...WORDS, y: 'enter the secret, or continue after signing in' };
  if (kind === 'input') return { ...WORDS, y: 'answer', n: 'decline' };
  if (calls.length === 1) return WORDS;
  const y =
    ticked === calls.length
      ? ticked === 2
        ? 'approve both'
        : `approve all ${ticked}`
      : `approve ${ticked}, deny the rest`;
  return { ...WORDS, y, n: 'deny all' };
}

const WORDS = { y: 'approve once', a: 'always…', n: 'deny' } as const;

function wrap(text: string, width: number, paint: Paint = (plain) => plain): string[] {
  return printable(text)
    .split('\n')
    .flatMap((line) => wrapTextWithAnsi(line, width))
    .map(paint);
}
