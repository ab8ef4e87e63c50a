import type { GateAnswer, NoteSource, OpenGate, ReadSource } from './api.ts';
import { whyNotApprovable } from './approvable.ts';
import { valuesOf } from './call-card.ts';
import { escapeInvisible } from './exact-json.ts';

export type AskedCall = OpenGate['calls'][number];

/** A text that the conversation has read, as a client puts it into words. */
export type ReadFact = {
  readonly kind: NoteSource['kind'];
  readonly name: string | null;
  readonly isForeign: boolean;
  readonly itemId: string | null;
};

/** What a card says about its reason: the sources that matter most, and how many others there are. */
export type Reason = { readonly read: readonly ReadFact[]; readonly more: number };

const MOST_NAMED = 3;
const MOST_LETTERS = 100;

/**
 * Why a gate asks, if that is because of what was read: text by others or, for an address or network, private data. Without either
 * the call always asks, so there is nothing to say. Texts by others come first, the newest before older ones.
 */
export function reasonOf({
  situation,
  because,
  calls,
}: Pick<OpenGate, 'situation' | 'because' | 'calls'>): Reason | undefined {
  const isAsked =
    situation !== 'clean' || calls.some(({ address }) => address?.kind === 'composed' || address?.kind === 'network');
  if (!isAsked || because.length === 0) return undefined;
  const newest = because.toReversed();
  const foreign = newest.filter((source) => source.foreign);
  const secret = newest.filter((source) => !source.foreign);
  const room = secret.length > 0 ? MOST_NAMED - 1 : MOST_NAMED; // private data is named beside them
  const first = foreign.slice(0, room);
  const named = [...first, ...secret.slice(0, MOST_NAMED - first.length)];
  return { read: named.map(factOf), more: because.length - named.length };
}

type FactSource = Pick<ReadSource, 'name' | 'foreign' | 'item_id'> & Pick<ReadFact, 'kind'>;

export const factOf = ({ kind, name, foreign, item_id: itemId }: FactSource): ReadFact => ({
  kind,
  name: name === null ? null : shorten(name.replace(/^https?:\/\//, '').replace(/\/$/, '')),
  isForeign: foreign,
  itemId,
});

/** The newest texts that the agent had read when it wrote a note, and how many others there are. */
export function readBeforeNote(sources: readonly NoteSource[], most = MOST_NAMED): Reason {
  const read = sources.slice(-most).toReversed();
  return {
    read: read.map(({ kind, name, item_id: itemId = null }) => factOf({ kind, name, foreign: false, item_id: itemId })),
    more: sources.length - read.length,
  };
}

function shorten(name: string): string {
  const shown = escapeInvisible(name.replace(/\s+/g, ' '));
  return shown.length > MOST_LETTERS ? `${shown.slice(0, MOST_LETTERS).replace(/[\uD800-\uDBFF]$/, '')}…` : shown;
}

/** The reason as an English sentence. `quote` sets names apart, which others may have chosen. */
export function describeReason(
  gate: Pick<OpenGate, 'situation' | 'because' | 'calls'>,
  quote: (name: string) => string = (name) => name,
): string | undefined {
  const reason = reasonOf(gate);
  if (!reason) return undefined;
  return `Asked because this conversation has read ${describeRead(reason, quote)}.`;
}

export function describeRead({ read, more }: Reason, quote: (name: string) => string = (name) => name): string {
  const named = read.map((fact) => describeFact(fact, quote));
  return LIST.format(more > 0 ? [...named, `${more} more`] : named);
}

const LIST = new Intl.ListFormat('en-GB');

function describeFact({ kind, name, isForeign }: ReadFact, quote: (name: string) => string): string {
  const named = name === null ? undefined : quote(name);
  const words = {
    page: named ?? 'a web page',
    search: 'results of a search',
    note: named === undefined ? 'a note' : `the note ${named}`,
    notes: 'your notes',
    missions: 'your missions',
    tool: named === undefined ? 'the output of a tool' : `the output of ${named}`,
    server: named === undefined ? 'the output of a server' : `the output of ${named}`,
    file: named === undefined ? 'a picture or file' : `the file ${named}`,
    message: PASSED_ON.get(name ?? '') ?? (named === undefined ? 'a message' : `a message (${named})`),
    caller: named === undefined ? 'the output of a tool' : `the output of ${named}`,
    summary: 'earlier messages',
    project: 'instructions of the project',
  }[kind];
  return isForeign ? `${words} (text by others)` : words;
}

/** How a message in a chat or a mail got to the person who sent it to the agent. */
const PASSED_ON: ReadonlyMap<string, string> = new Map([
  ['forwarded', 'a forwarded message'],
  ['quoted', 'a quoted message'],
  ['shared', 'a shared message'],
]);

/** What is asked about the address of a call. `shown` is the part that was shown before, `unshown` what the agent has written. */
export type AddressFacts =
  | { readonly kind: 'network'; readonly hosts: readonly string[] }
  | { readonly kind: 'research'; readonly searches: number; readonly pages: number }
  | { readonly kind: 'link'; readonly site: string }
  | { readonly kind: 'composed'; readonly site: string; readonly shown: string; readonly unshown: string }
  | { readonly kind: 'repeated'; readonly site: string; readonly reason: 'many' | 'again' };

export function addressOf({
  address,
  arguments: json,
}: Pick<AskedCall, 'address' | 'arguments'>): AddressFacts | undefined {
  if (!address) return undefined;
  if (address.kind !== 'composed') return address;
  const { kind, site, shown } = address;
  const whole = openedAddress(json);
  if (whole === undefined) return undefined; // the exact arguments say it
  return { kind, site, shown: escapeInvisible(whole.slice(0, shown)), unshown: escapeInvisible(whole.slice(shown)) };
}

/** The address in the arguments, normalized as the service compares addresses: without a fragment, and with `https`. */
function openedAddress(argumentsJson: string): string | undefined {
  try {
    const { url } = JSON.parse(argumentsJson) as { url?: unknown };
    const plain = typeof url === 'string' ? URL.parse(url) : null;
    if (!plain) return undefined;
    plain.hash = '';
    if (plain.protocol === 'http:' && plain.port === '') plain.protocol = 'https:';
    return plain.href;
  } catch {
    return undefined;
  }
}

/** What an approval means for the address of a call, as an English sentence. */
export function describeAddress(facts: AddressFacts, quote: (name: string) => string = (name) => name): string {
  const { kind } = facts;
  if (kind === 'network')
    return `It can send what this conversation has read, and its files, to ${LIST.format(facts.hosts.map(quote))}.`;
  if (kind === 'research')
    return `An approval allows up to ${facts.searches} searches, and opens up to ${facts.pages} pages that they find, until your next message.`;
  const site = quote(facts.site);
  if (kind === 'link') return `Links of ${site} in this turn: an approval opens all that were shown.`;
  if (kind === 'composed')
    return facts.unshown === ''
      ? `The agent has chosen this address of ${site}: nobody has shown it.`
      : `This part of the address was written by the agent and goes to ${site}: ${quote(facts.unshown)}`;
  return facts.reason === 'again'
    ? `This address of ${site} was opened twice in this turn.`
    : `Many addresses were opened in this turn. The next one is at ${site}.`;
}

/** The calls of a card that can be approved: those that are shown in full. */
export const approvableCalls = ({ calls }: Pick<OpenGate, 'calls'>): AskedCall[] =>
  calls.filter((call) => whyNotApprovable(call) === undefined);

/** The answer that approves these calls of a card, by their ids, and denies the others. */
export function answerOf({ calls }: Pick<OpenGate, 'calls'>, approved: ReadonlySet<string>, reason = ''): GateAnswer {
  const isApproved = ({ call_id: id }: AskedCall) => approved.has(id);
  const why = reason && { reason };
  if (calls.every(isApproved)) return { answer: 'approve' };
  if (!calls.some(isApproved)) return { answer: 'deny', ...why };
  return {
    answers: Object.fromEntries(calls.map((call) => [call.call_id, isApproved(call) ? 'approve' : 'deny'])),
    ...why,
  };
}

/** A rule that "always" can make, narrowest first. `free`: the paths of arguments that may differ. */
export type Rule = {
  readonly kind: 'exactly' | 'mission' | 'any-text';
  readonly answer: GateAnswer;
  readonly free: readonly string[];
};

/**
 * The rules that a card offers. A rule under which texts may differ is offered only while nothing by others was read; in a mission it
 * is, because it holds there alone, and missions read such texts.
 */
export function rulesOf({
  always,
  calls,
  situation,
  mission_id: mission,
}: Pick<OpenGate, 'always' | 'calls' | 'situation' | 'mission_id'>): Rule[] {
  if (!always) return [];
  const free = [...new Set(calls.flatMap((call) => call.always ?? []).flatMap((line) => FREE.exec(line)?.[1] ?? []))];
  const exactly: Rule = {
    kind: 'exactly',
    answer: { answer: 'always', ...(free.length > 0 && { exactly: true }) },
    free: [],
  };
  const inMission: Rule = { kind: 'mission', answer: { answer: 'always', only: 'mission' }, free };
  const anyText: Rule = { kind: 'any-text', answer: { answer: 'always' }, free };
  const isWide = free.length > 0 && situation === 'clean';
  return [exactly, ...(mission === null ? [] : [inMission]), ...(isWide ? [anyText] : [])];
}

/** A line about an argument that may differ. A fixed value can't look like one: its path is followed by an equals sign. */
const FREE = /^((?:[\w.[\]]|"(?:[^"\\]|\\.)*")+): any text/;

/** A rule as English words. */
export function describeRule({ kind, free }: Rule, { calls }: Pick<OpenGate, 'calls'>): string {
  const values = calls.flatMap((call) => valuesOf(call) ?? []);
  const labels = LIST.format(free.map((path) => values.find((value) => value.path === path)?.label ?? path));
  const anyText = free.length === 0 ? '' : ` with any text (${labels})`;
  if (kind === 'exactly') return `Exactly ${calls.length === 1 ? 'this' : 'these'}: every value stays the same`;
  if (kind === 'mission') return `In runs of this mission${anyText}`;
  return `The same${anyText}`;
}
