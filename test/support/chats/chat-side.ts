import type { Network } from '#egress/network.ts';
import type { ShownFile } from './chat-server.ts';

/** A message as people see it. `html` or `mrkdwn` is what the platform was given. */
export type Shown = {
  readonly text: string;
  readonly texts: readonly string[];
  readonly markup: string;
  readonly buttons: readonly { readonly text: string; readonly data: string }[];
  readonly file?: ShownFile | undefined;
};

/** A platform, for the cases that hold on each of them. */
export type ChatSide = {
  readonly channel: 'telegram' | 'slack';
  readonly network: Network;
  readonly name: string;
  /** The body that adds the account, and the secrets in it. */
  readonly account: Readonly<Record<string, unknown>>;
  readonly wrong: Readonly<Record<string, unknown>>;
  readonly problem: string;
  readonly secrets: readonly string[];
  /** Updates that the platform has not got rid of. */
  pending(): number;
  /** Delivers an update a second time. */
  repeat(update: unknown): void;
  /** Makes the next edit, and the next message, fail in different ways. */
  trouble(): void;
  /** Loses the answers to the requests that show a file. */
  loseFiles(): void;
  /** Makes the platform refuse the next file. */
  refuseFile(): void;
  readonly marked: { readonly bold: string; readonly code: string; readonly most: number };
  close(): Promise<void>;
};

export type ChatPerson = {
  readonly id: string;
  readonly linkedName: string;
  say(text: string): unknown;
  /** Sends a file with a few words. */
  sendFile(file: ShownFile, words: string): unknown;
  press(shown: Shown, data: string): unknown;
  /** The messages that this person sees in the private chat. */
  shown(): readonly Shown[];
};
