import type { ChatAccount, ChatMode, NewUpdate } from '#domain/chat/chat.ts';
import type { CarryResult } from '#domain/notification/delivery.ts';

/**
 * A chat platform. It translates and carries bytes, and decides nothing: who may talk, what becomes a turn, and what is sent again
 * is decided in this folder. Each method makes at most one attempt, and throws `ChatFailed`.
 */
export type ChatPort = {
  /** A letter can't be edited and has no buttons: each answer is one message, and approvals are links. */
  readonly style: 'chat' | 'letter';
  readonly modes: readonly ChatMode[];
  /** The field of a request that has the credentials, for errors. */
  readonly credentialsIn: string;
  /** `credentials`: as the operator entered them. */
  connect(credentials: string): ChatConnection;
  /** Where an update belongs, without its content. undefined: it is of no interest. */
  file(update: unknown): NewUpdate | undefined;
  /** What an update says. undefined: it is of no interest. */
  read(update: unknown, account: ChatAccount): Incoming | undefined;
  /** Cuts Markdown into pieces that each fit into one message. */
  split(markdown: string): readonly string[];
  /** A link that opens the chat and sends `code`, if the platform has such links. */
  linkFor?(account: ChatAccount, code: string): string;
  /** The most bytes of a file that goes out; in letters, of all files together. */
  readonly mostFileBytes: number;
  /** The least time between two edits of a streamed reply; a second unless it is given. */
  readonly editEveryMs?: number;
};

/** Sends one request. It follows no redirects and makes one attempt. */
export type Transport = (request: {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array;
  readonly timeoutMs: number;
  readonly maxResponseBytes: number;
  readonly signal?: AbortSignal;
}) => Promise<{
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}>;

/** A request with an update, as the platform has sent it. Header names are in lower case. */
export type SentRequest = {
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly body: Buffer;
};

export type ChatConnection = {
  /** Who the credentials belong to. `cursor`: updates before it are older than the account, and are not received. */
  identify(): Promise<{ readonly remoteId: string; readonly name: string; readonly cursor?: string }>;
  /** Waits for updates after the cursor, which acknowledges those before it. */
  receive(cursor: string | null, signal: AbortSignal): Promise<Received>;
  /** Whether the platform has signed a request. Left out by platforms that send the secret of `setAddress` instead. */
  isGenuine?(request: SentRequest): boolean;
  /** Has updates sent to a URL, with `secret` in each request; null: has them kept for `receive`. */
  setAddress(address: { readonly url: string; readonly secret: string } | null): Promise<void>;
  /** Returns the id of the message. `key` is the same when a message is sent again because the outcome was unknown. */
  send(chat: string, message: ChatMessage, key: string): Promise<string>;
  /**
   * Replaces a message by another one, which may be a file. Repeating it changes nothing. Returns false when the message is not there any more. A platform without
   * edits must recognise a repeated `key` instead.
   */
  edit?(chat: string, remoteId: string, message: ChatMessage): Promise<boolean>;
  /** Stores a file without showing it, for `edit`, which then shows it. Without it, a file replaces the words of a message. */
  upload?(file: SentFile): Promise<string>;
  /** The message that was sent with `key`, asked before it is sent again because the outcome was unknown. */
  findSent?(chat: string, key: string): Promise<string | undefined>;
  /** Shows that an answer is being written. */
  showTyping(chat: string): Promise<void>;
  /** Ends the wait of a person who has pressed a button. `counted`: the message of the button is changed, too. */
  answerPress(press: string, text: string, counted: boolean): Promise<void>;
  download(file: ChatFile): Promise<Uint8Array<ArrayBuffer>>;
};

export type Received = { readonly updates: readonly NewUpdate[]; readonly cursor: string | null };

export type ChatMessage = {
  readonly markdown: string;
  readonly buttons?: readonly ChatButton[];
  readonly replyTo?: string | undefined;
  /** In chats at most one, in place of the words, which are shown if the platform refuses it. In letters they come with the words. */
  readonly files?: readonly SentFile[];
};

/** A message whose files are not read yet. Reading a file throws `ChatFailed` if it is lost. */
export type ComposedMessage = Omit<ChatMessage, 'files'> & {
  readonly files?: readonly UnreadFile[];
  /** The words of a letter whose files are refused. */
  readonly otherwise?: string;
};

export type UnreadFile = Pick<SentFile, 'name' | 'mediaType'> & { readonly read: () => Promise<SentFile['bytes']> };

/** A file that goes out. The name is clean. */
export type SentFile = {
  readonly name: string;
  readonly mediaType: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
};

/** `data`: at most 64 bytes. It comes back when the button is pressed. */
export type ChatButton = { readonly label: string; readonly data: string };

export type ChatFile = {
  readonly id: string;
  readonly mediaType: string;
  readonly name: string | null;
  readonly bytes: number | null;
};

/** Who wrote, and where. */
type Written = {
  /** null: not a person, such as an anonymous administrator. */
  readonly sender: { readonly id: string; readonly name: string } | null;
  readonly chat: string;
  readonly isGroup: boolean;
  /** The `replyTo` of messages that answer this one. */
  readonly replyTo?: string | undefined;
  /** Why this leads to nothing, such as a sender that is not proven. It is recorded. */
  readonly refusal?: string | undefined;
};

export type Incoming = Written &
  (
    | {
        readonly kind: 'message';
        /** What the sender wrote; empty when they only pass something on. */
        readonly text: string;
        /** What others wrote and the sender passes on. */
        readonly byOthers: readonly PassedOn[];
        readonly files: readonly ChatFile[];
        /** In a group: the message is for this account. */
        readonly isAddressed: boolean;
      }
    | { readonly kind: 'command'; readonly name: string; readonly argument: string; readonly isAddressed: boolean }
    | { readonly kind: 'press'; readonly press: string; readonly data: string; readonly remoteId: string }
  );

/** A text by someone else, and how it came into the message. */
export type PassedOn = { readonly text: string; readonly source: 'forwarded' | 'quoted' | 'shared' };

/** A platform did not do what was asked. `result` says what follows for a delivery. */
export class ChatFailed extends Error {
  override readonly name = 'ChatFailed';
  readonly result: Exclude<CarryResult, { outcome: 'sent' }>;
  /** The field of the credentials that is wrong, if it is another one than `credentialsIn`. */
  readonly field: string | undefined;

  constructor(result: ChatFailed['result'], { field, ...options }: ErrorOptions & { readonly field?: string } = {}) {
    super(result.error, options);
    this.result = result;
    this.field = field;
  }
}

/** For requests that don't matter enough to be repeated. */
export function ignoreChatFailure(error: unknown): void {
  if (!(error instanceof ChatFailed)) throw error;
}
