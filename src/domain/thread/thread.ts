import type { ProjectId, ThreadId, TurnId } from '../ids.ts';
import type { UserId } from '../principal.ts';
import type { GateKind } from '../tool/gate.ts';
import type { ToolDefinition } from '../tool/tool.ts';
import type { Usage } from '../usage.ts';
import type { Channel, Steers } from './turn.ts';

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
  /** It neither reads nor writes memory, is in no search, and is deleted a day after its last message. */
  readonly temporary: boolean;
  readonly projectId: ProjectId | null;
  /** Of the thread of a child: the thread that it works for. */
  readonly parentId: ThreadId | null;
  readonly status: 'idle' | 'running' | 'waiting';
  /** Whether its active turn waits for a replica with a free place. */
  readonly waitsForPlace: boolean;
  /** Whether a turn of a chat has ended since its owner last had it before them. */
  readonly unread: boolean;
  /** Whether its next turn begins with a summary of what was said before. */
  readonly compactAsked: boolean;
  /** Where it began. A thread without turns was made by an API client. */
  readonly channel: Channel;
  /** The model that its newest turn asked for; null for the default model. */
  readonly model: string | null;
  /** The name of the assistant that its newest turn was for; null for the usual agent. */
  readonly assistant: string | null;
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
  /** Its owner has it before them. */
  readonly read?: true;
  /** null takes it out of its project. */
  readonly projectId?: ProjectId | null;
};

/**
 * What becomes of a message whose thread is busy. `steer`: the running turn ends at its next step, and the message is the next turn.
 * `now`: the running turn ends at once. `queue`: the message waits for the end of the running turn. `refuse`: it is not accepted.
 */
export type WhenBusy = 'steer' | 'now' | 'queue' | 'refuse';

/** Where an accepted message is. A turn that has ended has no place. */
export type Placement =
  /** It is read now, or as soon as a replica is free. */
  | { readonly type: 'started' }
  /** The running turn ends at its next step. */
  | { readonly type: 'steering' }
  /** `ahead`: how many turns come first, the running one included. */
  | { readonly type: 'queued'; readonly ahead: number }
  /** A person answers this gate first. */
  | { readonly type: 'waits'; readonly gate: GateKind };

/** The place of a queued turn that is not active. `ahead` counts the turns before it. */
export function placeInQueue(
  { steers }: { readonly steers: Steers | null },
  { gate, ahead }: { readonly gate: GateKind | undefined; readonly ahead: number },
): Placement {
  if (gate) return { type: 'waits', gate };
  return steers ? { type: 'steering' } : { type: 'queued', ahead };
}
