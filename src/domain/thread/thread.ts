import type { FolderId, ThreadId, TurnId } from '../ids.ts';
import type { UserId } from '../principal.ts';
import type { ToolDefinition } from '../tool/tool.ts';
import type { Usage } from '../usage.ts';
import type { Channel } from './turn.ts';

/** A conversation owned by one user. */
export type Thread = {
  readonly id: ThreadId;
  readonly userId: UserId;
  /** The number of its newest turn. */
  readonly lastSeq: number;
  /** The one turn that may run now; the others queue behind it. */
  readonly active: TurnId | null;
  /** The caller's tools, as the latest request declared them. */
  readonly catalog: readonly ToolDefinition[];
  readonly createdAt: Date;
};

/** How many turns may wait on one thread behind the one that runs. */
export const MAX_WAITING_TURNS = 16;

/** How much the items of one thread may hold. */
export const MAX_THREAD_BYTES = 256 * 1024 * 1024;

/** The URL of a thread in the web UI; undefined without a web UI. */
export type ThreadUrl = (id: ThreadId) => string | undefined;

/** A thread in a list. */
export type ThreadListing = {
  readonly id: ThreadId;
  /** The title that its owner gave it; null when the first words are shown instead. */
  readonly title: string | null;
  /** The title that a model gave it, if any; shown unless its owner gave one. */
  readonly generatedTitle: string | null;
  readonly opening: string;
  readonly preview: string;
  readonly pinned: boolean;
  readonly archived: boolean;
  /** Whether its code may reach the hosts that the operator lists. */
  readonly network: boolean;
  readonly folderId: FolderId | null;
  readonly status: 'idle' | 'running' | 'waiting';
  /** Whether its active turn waits for a replica with a free place. */
  readonly waitsForPlace: boolean;
  /** Where it began. A thread without turns was made by an API client. */
  readonly channel: Channel;
  /** The model that its newest turn asked for; null for the default model. */
  readonly model: string | null;
  readonly usage: Usage;
  /** How often another line of its turns was shown; 0 while no message has versions. */
  readonly line: number;
  readonly createdAt: Date;
  readonly updatedAt: Date;
};

export type ThreadChange = {
  readonly title?: string | null;
  readonly pinned?: boolean;
  readonly archived?: boolean;
  readonly network?: boolean;
  /** null takes it out of its folder. */
  readonly folderId?: FolderId | null;
};
