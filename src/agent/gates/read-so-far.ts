import type { Above } from '#domain/delegation/delegation.ts';
import { isTextType } from '#domain/text/media-type.ts';
import { withoutUntrusted, wrappedIn } from '#domain/text/untrusted.ts';
import { isAttached, isStored } from '#domain/thread/attachment.ts';
import { type ContentPart, type FunctionCallItem, type Item, type MessageItem, textOf } from '#domain/thread/item.ts';
import {
  type Because,
  FOREIGN_AND_PRIVATE,
  type NoteRef,
  type ReadSource,
  type Reads,
  type SeenSource,
  type SummaryReads,
  situationOf,
} from '#domain/thread/origin.ts';
import type { Summary } from '#domain/thread/summary.ts';
import type { ReadSoFar } from '#domain/tool/read-so-far.ts';
import { WEB_FETCH } from '#domain/tool/reserved-names.ts';
import { canonicalAddress, linksIn } from '#safety/addresses/links-in.ts';
import { flowOf, type Tool, type ToolSet } from '#tools/tool.ts';

export type ReadFacts = {
  /** The thread as far as it is known, with the call if it is written already. */
  readonly history: readonly Item[];
  readonly tools: ToolSet;
  /** Replaces the items before it. */
  readonly summary: Summary | null;
  /** Whether older items were left out because they are too large. They may have held anything. */
  readonly isCut: boolean;
  /** The instructions of the thread's project, if another person wrote them. */
  readonly instructions?: string | undefined;
  /** Of a child: what it got from the run that has started it. */
  readonly above?: Above | undefined;
};

/**
 * What the model had read when it wrote a call: the items before the answer that the call belongs to. Calls of one answer
 * can't have influenced each other, so the result of one is not read before the next. Only what they open counts for the next.
 */
export function readBefore(callId: string | undefined, facts: ReadFacts): ReadSoFar {
  const { history, summary, isCut, above } = facts;
  const at = history.findIndex(({ id }) => id === callId);
  const items = history.slice(0, startOfAnswer(history, at));
  const read = readIn(items, facts.tools);
  const all = [...hiddenTexts(facts), ...read];
  const reads = unite(all.map((each) => each.reads));
  const own = items.filter(isFromPerson);
  const asked = items.findLastIndex(isRequest);
  return {
    situation: situationOf(reads),
    hasPrivate: reads.private ?? false,
    sources: sourcesOf(all),
    seen: () => seenIn(all),
    ownTexts: [...(above?.ownTexts ?? []), ...own.map(ownTextOf)],
    ownLinks: () =>
      new Set([
        ...(above?.ownTexts.flatMap(linksIn) ?? []),
        ...own.flatMap((item) => ownLinks(item, () => linksIn(ownTextOf(item)))),
      ]),
    shownLinks: () => new Set(all.flatMap(shownLinksOf)),
    results: new Set(items.flatMap(resultsOf)),
    opened: [...(above?.opened ?? []), ...openedIn(history.slice(asked + 1, at === -1 ? history.length : at))],
    hidesOpened: asked === -1 && (summary !== null || isCut),
  };
}

/** What a summary of this history holds. */
export function readsOf(facts: ReadFacts): SummaryReads {
  const all = [...hiddenTexts(facts), ...readIn(facts.history, facts.tools)];
  const seen = seenIn(all);
  return { ...unite(all.map(({ reads }) => reads)), ...(seen.length > 0 && { seen }) };
}

/** A text that the model has read, if it is foreign or private. */
type Text = {
  readonly item: Item | null;
  readonly source: ReadSource;
  readonly reads: Reads;
  readonly texts: () => readonly string[];
  /** The part of the item that it is, if the item has several. */
  readonly part?: object;
  /** Of a summary, what it sums up; of notes, which ones. Older ones don't say it. */
  readonly seen?: readonly SeenSource[] | undefined;
};

const SUMMARY: ReadSource = { kind: 'summary', name: null };
const PROJECT: ReadSource = { kind: 'project', name: null };

/** What precedes the history: the instructions of the project, a summary, and items that were too large to be read. */
function hiddenTexts({ summary, isCut, instructions }: Pick<ReadFacts, 'summary' | 'isCut' | 'instructions'>): Text[] {
  const told = instructions !== undefined && toldBy(null, () => [instructions]);
  const summed = summary && {
    reads: summary.reads ?? FOREIGN_AND_PRIVATE,
    texts: () => [summary.text],
    seen: summary.reads?.seen,
  };
  const cut = isCut && { reads: FOREIGN_AND_PRIVATE, texts: () => [] };
  return [told, ...[summed, cut].map((hidden) => hidden && { item: null, source: SUMMARY, ...hidden })].flatMap(
    (hidden) => hidden || [],
  );
}

/** Instructions by another person, or an answer to a prompt that had some. */
const toldBy = (item: Item | null, texts: Text['texts']): Text => ({
  item,
  source: PROJECT,
  reads: { foreign: true },
  texts,
});

/** An output belongs to the call before it: some providers give the calls of each answer the same ids. */
function readIn(items: readonly Item[], tools: ToolSet): Text[] {
  const calls = new Map<string, FunctionCallItem>();
  return items.flatMap((item) => {
    if (item.type === 'function_call') calls.set(item.callId, item);
    return readInItem(item, calls, tools);
  });
}

function readInItem(item: Item, calls: ReadonlyMap<string, FunctionCallItem>, tools: ToolSet): readonly Text[] {
  switch (item.type) {
    case 'message':
      if (item.toldByOthers) return [toldBy(item, () => []), ...writtenAfter(item)];
      return item.vouched ? [] : [...writtenAfter(item), ...foreignParts(item, () => readInMessage(item))];
    case 'compaction':
      return [
        {
          item,
          source: SUMMARY,
          reads: item.reads ?? FOREIGN_AND_PRIVATE,
          texts: () => [item.summary],
          seen: item.reads?.seen,
        },
      ];
    case 'function_call':
      return item.toldByOthers ? [toldBy(item, () => [])] : [];
    case 'function_call_output': {
      if (item.vouched) return [];
      const call = calls.get(item.callId);
      const tool = call && !call.external ? tools.find(call.name) : undefined;
      const reads = item.reads ?? (call?.external ? FOREIGN_AND_PRIVATE : flowOf(tool).reads);
      const seen = item.reads?.seen ?? item.reads?.notes?.map(seenNote);
      return [
        { item, source: sourceOf(call, tool), reads, texts: () => item.output.map(wordsOf), part: item.output, seen },
      ];
    }
  }
}

/** The words of a model that had read something: the task of a child, which another model wrote. */
function writtenAfter(item: MessageItem): Text[] {
  if (item.role !== 'user' || item.author !== 'agent' || !item.reads) return [];
  const { reads } = item;
  return [{ item, source: TASK, reads, texts: () => [textOf(item.content)], part: item.content, seen: reads.seen }];
}

const TASK: ReadSource = { kind: 'message', name: 'task' };

/** Parts that the sender did not write. What can't be searched, such as a picture, is covered by its origin. */
function readInMessage(item: MessageItem): Text[] {
  const inside = wrappedTexts(item).map((found): Text => {
    const source = { kind: 'message', name: found.source || null } as const;
    return { item, source, reads: FOREIGN_AND_PRIVATE, texts: () => [found.text], part: found };
  });
  const parts = item.content.flatMap((part): Text[] => {
    if (part.type === 'text' ? !isByOthers(part) : part.origin === 'own') return [];
    return [{ item, source: sourceOfPart(part), reads: FOREIGN_AND_PRIVATE, texts: () => [wordsOf(part)], part }];
  });
  return [...inside, ...parts];
}

/** Texts that a channel has wrapped among the words of a message, such as the fields of an event. */
function wrappedTexts(item: MessageItem): ReturnType<typeof wrappedIn> {
  if (item.role === 'assistant') return [];
  return wrappedIn(textOf(item.content.filter((part) => !isByOthers(part))));
}

function sourceOfPart(part: ContentPart): ReadSource {
  if (part.type === 'text') return { kind: 'message', name: part.source ?? null };
  return { kind: 'file', name: part.type === 'file' ? part.filename : null };
}

function sourceOf(call: FunctionCallItem | undefined, tool: Tool | undefined): ReadSource {
  if (call?.external) return { kind: 'caller', name: call.name };
  const { from } = flowOf(tool);
  if (!call || !tool || from === undefined) return { kind: 'tool', name: call?.name ?? null };
  if (from === 'server') return { kind: from, name: tool.server ?? call.name };
  return { kind: from, name: tool.source?.(call.arguments) ?? null };
}

/** The person's own words in a message of theirs: without wrapped text, parts by others, and files. */
function ownTextOf(item: MessageItem): string {
  return ownTexts(item, () => withoutUntrusted(textOf(item.content.filter((part) => !isByOthers(part)))));
}

const isByOthers = (part: ContentPart): boolean => part.type === 'text' && part.origin === 'others';
const isRequest = (item: Item): item is MessageItem => item.type === 'message' && item.role === 'user';
const isFromPerson = (item: Item): item is MessageItem => isRequest(item) && item.author !== 'agent';

export function wordsOf(part: ContentPart): string {
  if (part.type === 'text') return part.text;
  if (!isAttached(part) || isStored(part) || !isTextType(part.mediaType)) return '';
  return Buffer.from(part.base64, 'base64').toString('utf8');
}

/** The index of the first call of the answer that contains the call at `index`; the end when the call is not written yet. */
function startOfAnswer(history: readonly Item[], index: number): number {
  if (index === -1) return history.length;
  let start = index;
  while (history[start - 1]?.type === 'function_call') start--;
  return start;
}

/** Addresses of calls that have run or may run. The output of a call that did not run is neither foreign nor private. */
function openedIn(items: readonly Item[]): string[] {
  const calls: { readonly callId: string; readonly address: string | undefined }[] = [];
  for (const item of items) {
    if (item.type === 'function_call') calls.push({ callId: item.callId, address: openedBy(item) });
    if (item.type !== 'function_call_output' || !item.reads || item.reads.foreign) continue;
    const unrun = calls.findLastIndex(({ callId }) => callId === item.callId);
    if (unrun !== -1) calls.splice(unrun, 1);
  }
  return calls.flatMap(({ address }) => address ?? []);
}

const openedBy = (call: FunctionCallItem): string | undefined =>
  call.name === WEB_FETCH ? openedWith(call.arguments) : undefined;

/** The address that a call with these arguments opens. */
export function openedWith(argumentsJson: string): string | undefined {
  const url = addressIn(argumentsJson);
  return url ? canonicalAddress(url) : undefined;
}

function addressIn(argumentsJson: string): URL | null {
  try {
    const { url } = JSON.parse(argumentsJson) as { url?: unknown };
    return typeof url === 'string' ? URL.parse(url) : null;
  } catch {
    return null; // nothing was opened
  }
}

function resultsOf(item: Item): string[] {
  const found = item.type === 'function_call_output' ? (item.reads?.results ?? []) : [];
  return found.flatMap((address) => {
    const url = URL.parse(address);
    return url ? canonicalAddress(url) : [];
  });
}

function unite(reads: readonly Reads[]): Reads {
  return { foreign: reads.some(({ foreign }) => foreign), private: reads.some((each) => each.private) };
}

/** Each source once, the newest last. */
function sourcesOf(read: readonly Text[]): Because[] {
  const sources = new Map<string, Because>();
  for (const { item, source, reads } of read) {
    if (!reads.foreign && !reads.private) continue;
    const key = `${source.kind} ${source.name}`;
    const earlier = sources.get(key);
    sources.delete(key);
    sources.set(key, { ...source, ...unite([reads, earlier ?? {}]), itemId: item?.id ?? null });
  }
  return [...sources.values()];
}

const seenNote = ({ path, version }: NoteRef): SeenSource => ({ kind: 'note', name: path, version });

/** More would be a long row for each note. The newest are kept. */
const MOST_SEEN = 200;

/** What notes and summaries say about their origin: each source once, the newest last. */
function seenIn(read: readonly Text[]): SeenSource[] {
  const found = new Map<string, SeenSource>();
  for (const { item, source, reads, seen } of read) {
    if (!reads.foreign && !reads.private) continue;
    for (const each of seen ?? [{ ...source, name: shortName(source) }]) {
      const key = `${each.kind} ${each.name} ${each.version ?? ''}`;
      found.delete(key);
      found.set(key, { ...each, ...(item && { itemId: item.id }) });
    }
  }
  return [...found.values()].slice(-MOST_SEEN);
}

/** A page is known by its host, and no name is long: people and models read it. */
const shortName = ({ kind, name }: ReadSource): string | null =>
  (kind === 'page' && URL.parse(name ?? '')?.host) || (name?.slice(0, MOST_LETTERS) ?? null);
const MOST_LETTERS = 100;

function shownLinksOf(text: Text): readonly string[] {
  if (!text.reads.foreign) return [];
  const find = () => text.texts().flatMap(linksIn);
  return text.part ? shownLinks(text.part, find) : find();
}

/** An attempt judges many calls by the same items, and searching a long thread takes milliseconds. */
const foreignParts = remember<readonly Text[]>();
const ownTexts = remember<string>();
const ownLinks = remember<readonly string[]>();
const shownLinks = remember<readonly string[]>();

/** What was found in an item, or in a part of one, for as long as that is in memory. Neither of them ever changes. */
function remember<T>() {
  const known = new WeakMap<object, { readonly found: T }>();
  return (key: object, find: () => T): T => {
    const entry = known.get(key) ?? { found: find() };
    known.set(key, entry);
    return entry.found;
  };
}
