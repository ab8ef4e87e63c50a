import type { Because, SeenSource, Situation } from '../thread/origin.ts';

/** What the model had read when it wrote a call: everything before the answer that contains the call. */
export type ReadSoFar = {
  readonly situation: Situation;
  /** Whether private data was read, in any situation. */
  readonly hasPrivate: boolean;
  /** The foreign and the private items, the oldest first. */
  readonly sources: readonly Because[];
  /** The same in short, with the sources of summaries instead of these. */
  readonly seen: () => readonly SeenSource[];
  /** The person's own words, without what others wrote into their messages. */
  readonly ownTexts: readonly string[];
  /** The addresses in the person's own words, and those in texts by others, as `canonicalAddress` writes them. */
  readonly ownLinks: () => ReadonlySet<string>;
  readonly shownLinks: () => ReadonlySet<string>;
  /** Addresses that a search of the operator has found. */
  readonly results: ReadonlySet<string>;
  /** The addresses that were opened since the person's last message, also by earlier calls of the same answer. */
  readonly opened: readonly string[];
  /** Whether a summary may hide addresses that were opened since the person's last message. */
  readonly hidesOpened: boolean;
  /** The person has approved research in this run, and its pages are not used up. */
  readonly isResearch?: boolean;
};

/** What a person is asked about an address, or about the hosts that a call can reach. */
export type AddressQuestion =
  | { readonly kind: 'network'; readonly hosts: readonly string[] }
  /** The call starts research: approving it opens so many results until the person's next message. */
  | { readonly kind: 'research'; readonly searches: number; readonly pages: number }
  /** It was shown: approving it opens all shown links of this site until the person's next message. */
  | { readonly kind: 'link'; readonly site: string }
  /** The agent has written it: only this address is approved. `shown`: how much of it the model had read or was given. */
  | { readonly kind: 'composed'; readonly site: string; readonly shown: number }
  /** Too many were opened, or this one too often. */
  | { readonly kind: 'repeated'; readonly site: string; readonly reason: 'many' | 'again' };
