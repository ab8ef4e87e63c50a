import type { Principal } from '#domain/principal.ts';
import type { Turn } from '#domain/thread/turn.ts';
import type { ReadSoFar } from '#domain/tool/read-so-far.ts';
import { canonicalAddress } from '#safety/addresses/links-in.ts';
import { type Database, withOwner } from '#store/connection.ts';
import { listItemsFrom } from '#store/threads/thread-items.ts';
import type { ToolSet } from '#tools/tool.ts';
import { readBefore } from '../../gates/read-so-far.ts';

/** What the agent has written, without links to addresses that it has composed. */
export type HideComposed = (
  owner: Principal,
  turn: Pick<Turn, 'threadId' | 'seq'>,
  markdown: string,
) => Promise<string>;

/** Addresses that were shown earlier than this count as composed: they are written as code, which loses nothing but the click. */
const MOST_ITEMS = 500;

export function createHideComposed(db: Database): HideComposed {
  return async (owner, { threadId, seq }, markdown) => {
    if (!ADDRESSES.test(markdown)) return markdown;
    const newest = await withOwner(db, owner, (trx) =>
      listItemsFrom(trx, owner, threadId, { from: undefined, order: 'desc', limit: MOST_ITEMS, through: seq }),
    );
    const isCut = newest.length === MOST_ITEMS;
    const read = readBefore(undefined, { history: newest.toReversed(), tools: NO_TOOLS, summary: null, isCut });
    return withComposedAsCode(markdown, read);
  };
}

/** The origin is in the outputs; older outputs count as text by others. */
const NO_TOOLS: ToolSet = { find: () => undefined, definitions: () => [] };

/**
 * Writes addresses as code that the agent has composed after it had read text by others: they may carry data, and an app would make
 * a link of them. The person still sees them in full.
 */
export function withComposedAsCode(markdown: string, read: ReadSoFar): string {
  if (read.situation === 'clean') return markdown;
  const known = new Set([...read.ownLinks(), ...read.shownLinks(), ...read.results]);
  return replaceUnknown(markdown, (address) => {
    const url = URL.parse(/^https?:/i.test(address) ? address : `https://${address}`);
    return url !== null && known.has(canonicalAddress(url));
  });
}

function replaceUnknown(markdown: string, isKnown: (address: string) => boolean): string {
  return markdown.replace(ADDRESSES_ALL, (whole: string, ...found: unknown[]) => {
    const { words, target, auto, bare } = found.at(-1) as Record<string, string | undefined>;
    if (target !== undefined)
      return isKnown(target) ? whole : `${replaceUnknown(words ?? '', isKnown)} (${code(target)})`;
    if (auto !== undefined) return isKnown(auto) ? whole : code(auto);
    if (bare === undefined) return whole; // code already
    const address = bare.replace(/[.,;:!?)]+$/, '');
    return isKnown(bare) || isKnown(address) ? whole : `${code(address)}${bare.slice(address.length)}`;
  });
}

const code = (address: string) => `\`${address.replaceAll('`', '%60')}\``;

/** Blocks and spans of code, links, and addresses: with `http`, or without it if they have a path or several dots. */
const PARTS = [
  String.raw`^ {0,3}(?<fence>\x60{3}|~{3})[^]*?(?:^ {0,3}\k<fence>|(?![^]))`,
  String.raw`\x60[^\x60\n]*\x60`,
  String.raw`!?\[(?<words>[^\]\n]{0,500})\]\(\s{0,9}<?(?<target>https?:\/\/[^\s<>)]+)>?[^)\n]{0,500}\)`,
  String.raw`<(?<auto>https?:\/\/[^\s<>]+)>`,
  String.raw`(?<bare>https?:\/\/[^\s<>"'\x60\]}]+|(?<![\w@./-])(?:[a-z\d-]{1,63}\.){1,8}[a-z]{2,24}[/?][^\s<>"'\x60\]}]*|(?<![\w@./-])(?:[a-z\d-]{1,63}\.){2,8}[a-z]{2,24}(?![\w@]))`,
].join('|');
const ADDRESSES = new RegExp(PARTS, 'im');
const ADDRESSES_ALL = new RegExp(PARTS, 'gim');
