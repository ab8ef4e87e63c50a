import type { Generated } from 'kysely';
import type { ChatAccount } from '#domain/chat/chat.ts';
import type { ChatAccountId, ReplicaId, ThreadId } from '#domain/ids.ts';

/** Chat platforms. */
export type ChatTables = {
  chatAccounts: {
    id: ChatAccountId;
    channel: ChatAccount['channel'];
    remoteId: string;
    name: string;
    mode: ChatAccount['mode'];
    groups: boolean;
    assistant: string | null;
    secretHash: Buffer | null;
    cursor: string | null;
    poller: ReplicaId | null;
    leasedUntil: Date | null;
    lastError: string | null;
    failedAt: Date | null;
    receivedAt: Date | null;
    createdAt: Generated<Date>;
  };
  chatLinks: {
    accountId: ChatAccountId;
    sender: string;
    userId: string;
    name: string;
    chat: string;
    createdAt: Generated<Date>;
  };
  chatCodes: { hash: Buffer; userId: string; expiresAt: Date };
  chatThreads: {
    accountId: ChatAccountId;
    chat: string;
    userId: string;
    threadId: ThreadId | null;
    assistant: string | null;
  };
  chatMessages: {
    key: string;
    part: number;
    userId: string;
    remoteId: string | null;
    claimedUntil: Date | null;
    liveUntil: Date | null;
    isFinal: Generated<boolean>;
    isShown: Generated<boolean>;
    createdAt: Generated<Date>;
  };
};
