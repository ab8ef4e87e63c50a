import type { ChatAccountId, ThreadId, TurnId } from '../ids.ts';
import type { NoticeDetail } from '../notification/notice.ts';
import type { UserId } from '../principal.ts';
import type { ChatChannel } from './chat-channel.ts';

/** The service's account on a chat platform, such as a bot. Its credentials are a secret of the operator. */
export type ChatAccount = {
  readonly id: ChatAccountId;
  readonly channel: ChatChannel;
  /** Its id on the platform. */
  readonly remoteId: string;
  /** The name that people find it by. */
  readonly name: string;
  /** `polling`: one replica asks for updates. `webhook`: the platform calls any replica. */
  readonly mode: ChatMode;
  /** Whether it answers in groups, when it is addressed. */
  readonly groups: boolean;
  /** The name of the assistant that answers in chats that have chosen none; null for the usual agent. */
  readonly assistant: string | null;
  readonly lastError: string | null;
  readonly failedAt: Date | null;
  /** When the platform last answered or called. */
  readonly receivedAt: Date | null;
  readonly createdAt: Date;
};

export const CHAT_MODES = ['polling', 'webhook'] as const;
export type ChatMode = (typeof CHAT_MODES)[number];

/** A person on a platform who is a user here. */
export type ChatLink = {
  readonly accountId: ChatAccountId;
  /** The person's id on the platform. Names there can be changed and reused. */
  readonly sender: string;
  readonly userId: UserId;
  readonly name: string;
  /** Where the person alone is reached. */
  readonly chat: string;
  readonly createdAt: Date;
};

/** An update as the platform sent it. */
export type NewUpdate = {
  /** Its id on the platform. A repeated update has the same one. */
  readonly remoteId: string;
  /** Updates of a lane are handled in the order of their positions. */
  readonly lane: string;
  readonly position: number;
  readonly sender: string | null;
  readonly body: unknown;
};

/** Where the replies of a turn go. It is stored with the turn. */
export type ChatPlace = {
  readonly accountId: ChatAccountId;
  readonly chat: string;
  /** The message that is answered, in a group. */
  readonly replyTo?: string;
};

/** What a delivery to a chat shows. The words are read when it is delivered. */
export type ChatPost = ChatPlace & {
  readonly type: 'chat.post';
  readonly userId: UserId;
} & (
    | { readonly shows: 'turn'; readonly threadId: ThreadId; readonly turnId: TurnId }
    | { readonly shows: 'text'; readonly text: string }
    | { readonly shows: 'notice'; readonly notice: NoticeDetail }
  );

/** The place in the stored request of a turn; undefined when the turn did not come from a chat. */
export function placeIn(echo: Readonly<Record<string, unknown>>): ChatPlace | undefined {
  return echo['chat'] as ChatPlace | undefined;
}
