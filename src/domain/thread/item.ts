import type { AttachmentHash, ItemId, ThreadId, TurnId, UploadId } from '../ids.ts';
import type { Citations } from '../search/citations.ts';
import type { NumberedSource } from '../search/source.ts';
import type { AllowedBy } from '../tool/allowed-by.ts';
import type { DecidedAtGate } from '../tool/call-decision.ts';
import type { Usage } from '../usage.ts';
import type { NewVersion } from '../workspace/version.ts';
import type { NoteRef, Reads, SeenSource, SummaryReads } from './origin.ts';
import type { ReasoningSummary, Thoughts } from './thoughts.ts';

/** One entry of a thread. Items are ordered by (turnSeq, position): the turn's number, then the item's in the turn. */
export type Item = NewItem & {
  readonly threadId: ThreadId;
  readonly turnId: TurnId;
  readonly turnSeq: number;
  readonly position: number;
  /** The attempt that wrote it; null when it came with the turn's input. */
  readonly attempt: number | null;
  /** The usage of the model call that made it; on the first item of each answer. */
  readonly usage: Usage | null;
  /** Set on a function_call once its tool has been started. */
  readonly startedAt: Date | null;
};

/** An item that has no position in a thread yet. */
export type NewItem = { readonly id: ItemId } & ItemBody;

/** An item that a turn has made, ready to be written. */
export type WrittenItem = NewItem & {
  /** The usage of the model call that made it. */
  readonly usage: Usage | null;
  /** Whether this write also starts the call's tool. */
  readonly started: boolean;
  /** The version of the workspace that its call made: both are written, or neither. */
  readonly version?: NewVersion;
  /** The sources that it shows: both are written, or neither. */
  readonly sources?: readonly NumberedSource[];
};

export type ItemBody = MessageBody | FunctionCallBody | FunctionCallOutputBody | CompactionBody;

export type MessageBody = {
  readonly type: 'message';
  readonly role: MessageRole;
  readonly content: readonly ContentPart[];
  /** A model wrote it in the person's place, so its words are not the person's. */
  readonly author?: 'agent';
  /** The prompt that it answers had instructions by another person. */
  readonly toldByOthers?: true;
  /** Of a task for a child, and of a child's answer: what the model that wrote it had read. */
  readonly reads?: SummaryReads;
  /** The person has read it and answers for it: later calls are not judged by it. */
  readonly vouched?: true;
  /** `incomplete`: the model stopped, failed or was cancelled in mid-sentence. */
  readonly status: 'completed' | 'incomplete';
  /** What the model said beside its calls, in a turn whose answer has a format: it is not part of that answer. */
  readonly phase?: 'commentary';
  readonly reasoning?: ReasoningSummary;
  /** The markers of sources in an answer, as the service has checked them. While it is written, the sources that it may cite. */
  readonly citations?: Citations;
};

export type FunctionCallBody = {
  readonly type: 'function_call';
  readonly callId: string;
  readonly name: string;
  /** The caller's group of tools that it belongs to. Its name begins with it. */
  readonly namespace?: string;
  /** JSON text, exactly as the model wrote it. */
  readonly arguments: string;
  /** Whether the caller runs it. Decided when the model makes the call; the tools of later requests don't change it. */
  readonly external: boolean;
  /** The prompt that it answers had instructions by another person. */
  readonly toldByOthers?: true;
  /** Why the service refuses to run it. The arguments of such a call are not kept. */
  readonly blocked?: BlockReason;
  readonly thoughts?: Thoughts;
  readonly reasoning?: ReasoningSummary;
};

/** `leak`: the arguments held a stored secret. `unsearched`: they could not be searched for secrets. */
export type BlockReason = 'leak' | 'unsearched';

/** Why the service refuses to run a call, if it does. Items written without a `blocked` field may have a text instead. */
export function blockReasonOf(call: Pick<FunctionCallBody, 'arguments' | 'blocked'>): BlockReason | undefined {
  if (call.arguments === '{"blocked":"The arguments held a stored secret."}') return 'leak';
  return call.blocked;
}

export type FunctionCallOutputBody = {
  readonly type: 'function_call_output';
  readonly callId: string;
  readonly output: readonly ContentPart[];
  /** The origin of the output. Without it, the class of the tool decides. */
  readonly reads?: OutputReads;
  /** How code ended that the call has run. */
  readonly ran?: RanCode;
  /** What let the call run; missing if it did not run, or ran in an older version. */
  readonly allowedBy?: AllowedBy;
  /** How a person decided about the call; missing if no one was asked, or in an older version. */
  readonly decided?: DecidedAtGate;
  /** What the operator pays for the call, such as for a search; null if the price is not known. */
  readonly costUsd?: number | null;
  /** The person has read it and answers for it: later calls are not judged by it. */
  readonly vouched?: true;
};

/** `outcome` is `exit`, or why it was stopped, such as `timeout`. */
export type RanCode = {
  readonly outcome: string;
  readonly exitCode: number | null;
  /** Which layers of the sandbox held; missing in older items. */
  readonly layers?: readonly string[];
};

/** `results`: the addresses that a search of the operator has found. `notes`: the notes that the output shows. `seen`: what a child had read. */
export type OutputReads = Reads & {
  readonly results?: readonly string[];
  readonly notes?: readonly NoteRef[];
  readonly seen?: readonly SeenSource[];
};

/** Replaces earlier items of a conversation, which the caller no longer sends. */
export type CompactionBody = {
  readonly type: 'compaction';
  readonly summary: string;
  /** The summary as callers have it: encrypted, and readable only for this service and this user. */
  readonly sealed: string;
  /** What the model had read that is summed up here. Without it, everything. */
  readonly reads?: SummaryReads;
};

export type MessageRole = 'user' | 'assistant' | 'system' | 'developer';

export type ContentPart = TextPart | AttachedPart;

/** A part whose bytes, if it has any, are at hand. */
export type LoadedPart = TextPart | InlinePart;

export type TextPart = {
  readonly type: 'text';
  readonly text: string;
  /** The sender of the message did not write it: it is forwarded or quoted. Prompts wrap it as foreign text. */
  readonly origin?: 'others';
  /** Where a text by others comes from, in a word. */
  readonly source?: string;
};

/** An image or a file: with its bytes, or with a reference to them. */
export type AttachedPart = InlinePart | StoredPart;
export type InlinePart = Media & { readonly base64: string };
export type StoredPart = Media & { readonly sha256: AttachmentHash; readonly bytes: number };

/**
 * `own`: the sender of the message says that they wrote it. Otherwise it is foreign. `fileId`: they sent it by this id. `forModel`: a
 * tool has read it for the model, so it is not handed over to the person.
 */
type Media = {
  readonly mediaType: string;
  readonly origin?: 'own';
  readonly fileId?: UploadId;
  readonly forModel?: true;
} & (
  | { readonly type: 'image'; readonly filename?: string }
  | { readonly type: 'file'; readonly filename: string | null }
);

export type MessageItem = Item & MessageBody;
export type FunctionCallItem = Item & FunctionCallBody;

export const text = (value: string): TextPart => ({ type: 'text', text: value });

/** A text in a person's message that someone else wrote. `source` says in a word where it comes from, such as `forwarded`. */
export const textByOthers = (value: string, source: string): TextPart => ({ ...text(value), origin: 'others', source });

/** An item with other parts; the same item when `change` returns every part unchanged. */
export function mapParts<I extends ItemBody>(item: I, change: (part: ContentPart) => ContentPart): I {
  const parts = partsOf(item);
  const changed = parts.map(change);
  if (changed.every((part, index) => part === parts[index])) return item;
  return item.type === 'message' ? { ...item, content: changed } : { ...item, output: changed };
}

/** The parts of a message or an output; other items have none. */
export function partsOf(item: ItemBody): readonly ContentPart[] {
  if (item.type === 'message') return item.content;
  return item.type === 'function_call_output' ? item.output : [];
}

/** The text of a content; images and files have none. */
export function textOf(content: readonly ContentPart[]): string {
  return content.map((part) => (part.type === 'text' ? part.text : '')).join('');
}

/** The text of a content as people read it: what others wrote stands apart from what the sender did. */
export function readableText(content: readonly ContentPart[]): string {
  const texts = content.filter((part) => part.type === 'text');
  return texts
    .map((part, index) => {
      const before = texts[index - 1];
      return before && (part.origin ?? before.origin) === 'others' ? `\n\n${part.text}` : part.text;
    })
    .join('');
}

/** An item as the database returns it inside JSON: the body in its own field, and times as texts. */
export type ItemJson = Omit<Item, keyof ItemBody | 'startedAt'> & { body: ItemBody; startedAt: string | null };

export function itemFromJson({ body, startedAt, ...row }: ItemJson): Item {
  return { ...row, ...body, startedAt: startedAt === null ? null : new Date(startedAt) };
}

/** An item with its times. */
export type TimedItem = Item & {
  readonly createdAt: Date;
  /** Of a call: when its output was written. */
  readonly endedAt: Date | null;
};

/** Gives each call the time of its output: the first output answers the first call of that id. `later` may hold outputs too. */
export function timeCalls(items: readonly DatedItem[], later: readonly DatedItem[] = []): TimedItem[] {
  const ends = Map.groupBy(
    [...items, ...later].filter((item) => item.type === 'function_call_output'),
    (item) => item.callId,
  );
  return items.map((item) => {
    const output = item.type === 'function_call' ? ends.get(item.callId)?.shift() : undefined;
    return { ...item, endedAt: output?.createdAt ?? null };
  });
}

export type DatedItem = Item & { readonly createdAt: Date };
