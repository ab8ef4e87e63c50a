import type { IndexPace } from '#agent/background/index-notes.ts';
import type { DocumentsPace } from '#agent/background/read-documents.ts';
import type { NotesPace } from '#agent/background/waiting-notes.ts';
import type { InboxPace } from '#agent/chats/incoming/inbox.ts';
import type { TracingPace } from '#agent/inspection/trace-turns.ts';
import type { SchedulerPace } from '#agent/missions/scheduler.ts';
import type { OutboxPace } from '#agent/outbox/deliver.ts';
import type { TitlePace } from '#agent/threads/generate-titles.ts';
import type { SessionPace } from '#channels/slack/socket-session.ts';
import type { OpenDatabase } from '#database/open-database.ts';
import type { Network } from '#egress/network.ts';
import type { EngineTimes } from '#engine/engine-times.ts';
import type { SandboxOptions } from '#sandbox/sandboxes.ts';
import type { Tool } from '#tools/tool.ts';

/** What a composition may set besides the configuration. */
export type Parts = {
  /** An open database, which is closed with the app. Otherwise the configured one is opened. */
  readonly database?: OpenDatabase;
  /** Further tools besides the built-in ones. */
  readonly tools?: readonly Tool[];
  /** false: callers must not supply tools. */
  readonly externalTools?: boolean;
  /** Started for a terminal, which opens even when a port is in use or the gateway is disabled. */
  readonly terminal?: boolean;
  /** How many turns may run here at once; 0 for a command that only reads. */
  readonly turns?: number;
  /** How hosts are resolved and connected to. */
  readonly network?: Network;
  /** Other intervals and deadlines of the engine, for tests. */
  readonly engineTimes?: Partial<EngineTimes>;
  /** How often to look for overdue gates. */
  readonly overdueGatesEveryMs?: number;
  /** How often to look for turns that are queued at their deadline. */
  readonly overdueTurnsEveryMs?: number;
  /** How often to look for undelivered responses that are not to be stored. */
  readonly undeliveredEveryMs?: number;
  /** How often to look for expired threads. */
  readonly purgeThreadsEveryMs?: number;
  /** Where bubblewrap is, and how often to look for it. */
  readonly sandboxes?: Partial<Pick<SandboxOptions, 'program' | 'lookAgainMs'>>;
  /** When unused attachments are deleted. */
  readonly attachmentSweep?: { readonly graceMs: number; readonly everyMs: number };
  /** The folder of the built browser app. */
  readonly webFolder?: string;
  /** How often to look for deliveries, and when to retry them. */
  readonly deliveries?: Partial<OutboxPace>;
  /** The retry schedule of embeddings. */
  readonly notes?: Partial<NotesPace>;
  /** How often traces are sent. */
  readonly traces?: Partial<TracingPace>;
  /** How often to look for due missions, and how many runs to start. */
  readonly missions?: Partial<SchedulerPace>;
  /** How often to look for updates of chats, how often a streamed reply is edited, and for how long a replica claims a message. */
  readonly chats?: Partial<InboxPace> & {
    readonly editEveryMs?: number;
    readonly claimSeconds?: number;
    readonly sockets?: Partial<SessionPace>;
  };
  /** How often to look for threads that need a title. */
  readonly titles?: Partial<TitlePace>;
  /** How often to look for files whose text is to be read. */
  readonly documents?: Partial<DocumentsPace>;
  /** When to index notes. */
  readonly noteIndexes?: Partial<IndexPace>;
};
