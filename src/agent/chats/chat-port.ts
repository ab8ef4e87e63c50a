import type { ChatAccount, ChatMode, NewUpdate } from '#domain/chat/chat.ts';
import type { CarryResult } from '#domain/notification/delivery.ts';

/**
 * A chat platform. It translates and carries bytes, and decides nothing: who may talk, what becomes a turn, and what is sent again
 * is decided in this folder. Each method makes at most one attempt, and throws `ChatFailed`.
 */
export type ChatPort = {
  readonly modes: readonly ChatMode[];
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
};

export type ChatConnection = {
  /** Who the credentials belong to. */
  identify(): Promise<{ readonly remoteId: string; readonly name: string }>;
  /** Waits for updates after the cursor, which acknowledges those before it. */
  receive(cursor: string | null, signal: AbortSignal): Promise<Received>;
  /** Has updates sent to a URL, with `secret` in each request; null: has them kept for `receive`. */
  setAddress(address: { readonly url: string; readonly secret: string } | null): Promise<void>;
  /** Returns the id of the message. `key` is the same when a message is sent again because the outcome was unknown. */
  send(chat: string, message: ChatMessage, key: string): Promise<string>;
  /**
   * Replaces a message. Repeating it changes nothing. Returns false when the message is not there any more. A platform without
   * edits must recognise a repeated `key` instead.
   */
  edit?(chat: string, remoteId: string, message: ChatMessage): Promise<boolean>;
  /** Shows that an answer is being written. */
  showTyping(chat: string): Promise<void>;
  /** Ends the wait of a person who has pressed a button. */
  answerPress(press: string, text: string): Promise<void>;
  download(file: ChatFile): Promise<Uint8Array<ArrayBuffer>>;
};

export type Received = { readonly updates: readonly NewUpdate[]; readonly cursor: string | null };

export type ChatMessage = {
  readonly markdown: string;
  readonly buttons?: readonly ChatButton[];
  readonly replyTo?: string | undefined;
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
};

export type Incoming = Written &
  (
    | {
        readonly kind: 'message';
        readonly remoteId: string;
        readonly text: string;
        readonly files: readonly ChatFile[];
        /** Written by someone else, and passed on by the sender. */
        readonly isForwarded: boolean;
        /** In a group: the message is for this account. */
        readonly isAddressed: boolean;
      }
    | { readonly kind: 'command'; readonly name: string; readonly argument: string; readonly isAddressed: boolean }
    | { readonly kind: 'press'; readonly press: string; readonly data: string; readonly remoteId: string }
  );

/** A platform did not do what was asked. `result` says what follows for a delivery. */
export class ChatFailed extends Error {
  override readonly name = 'ChatFailed';
  readonly result: Exclude<CarryResult, { outcome: 'sent' }>;

  constructor(result: ChatFailed['result'], options?: ErrorOptions) {
    super(result.error, options);
    this.result = result;
  }
}
