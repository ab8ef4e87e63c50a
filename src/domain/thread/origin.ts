/** Where a text comes from. A mail is both foreign and private, a web page is foreign, the person's own words are neither. */
export type Reads = {
  /** Others wrote it. */
  readonly foreign?: boolean;
  /** Only the person may see it. */
  readonly private?: boolean;
};

export const FOREIGN_AND_PRIVATE: Reads = { foreign: true, private: true };

/** What a model has read when it makes a call: no text by others, some, or some together with private data. */
export type Situation = (typeof SITUATIONS)[number];

/** From the weakest to the strongest: what was allowed in one situation is allowed in the weaker ones. */
export const SITUATIONS = ['clean', 'foreign', 'both'] as const;

export const situationOf = ({ foreign, private: secret }: Reads): Situation => {
  if (!foreign) return 'clean';
  return secret ? 'both' : 'foreign';
};

/** Whether a permission that was given in one situation is valid in another. */
export const coversSituation = (given: Situation, present: Situation): boolean =>
  SITUATIONS.indexOf(present) <= SITUATIONS.indexOf(given);

/** A text that the model has read, as the person knows it. */
export type ReadSource = {
  readonly kind: SourceKind;
  /** The address of a page, the name of a file, tool or server; null when the kind says it all. */
  readonly name: string | null;
};

export type SourceKind = (typeof SOURCE_KINDS)[number];

/**
 * `message`: text by others in a message, such as a forwarded one. `caller`: the output of a caller's tool. `project`: instructions that
 * another member of the project wrote.
 */
export const SOURCE_KINDS = [
  'page',
  'search',
  'notes',
  'missions',
  'tool',
  'server',
  'file',
  'message',
  'caller',
  'summary',
  'project',
] as const;

/**
 * A text in the model's view that is not the person's own words: a page by its host, a note by its path and version, all else as for
 * `ReadSource`. `itemId`: the item that holds it.
 */
export type SeenSource = {
  readonly kind: SourceKind | 'note';
  readonly name: string | null;
  readonly version?: number;
  readonly itemId?: string;
};

/** A version of a note. */
export type NoteRef = { readonly path: string; readonly version: number };

/** What a summary holds, and where that comes from. */
export type SummaryReads = Reads & { readonly seen?: readonly SeenSource[] };

/** Why a call needs a question: the item that was read, and what it is. */
export type Because = ReadSource & Reads & { readonly itemId: string | null };
