import type { ChatChannel } from '../chat/chat-channel.ts';
import type { Above, ChildRun } from '../delegation/delegation.ts';
import type { FailureDetails } from '../failure/failure-details.ts';
import type { ProjectId, ThreadId, TurnId, WorkspaceId } from '../ids.ts';
import type { MissionRun } from '../mission/mission.ts';
import type { UserId } from '../principal.ts';
import type { SearchOptions } from '../search/search-options.ts';
import type { StoreSearch } from '../search/vector-store.ts';
import type { Gate, NewGate } from '../tool/gate.ts';
import type { ToolDefinition } from '../tool/tool.ts';
import type { TraceContext } from '../trace/trace-context.ts';
import type { Usage } from '../usage.ts';
import type { TurnAssistant } from '../work/assistant.ts';
import type { Item, NewItem, WrittenItem } from './item.ts';
import type { OutputFormat } from './output-format.ts';
import type { ReasoningDetail, Sampling } from './sampling.ts';

/** One run from an input to a reply, a gate, a failure or a cancel. */
export type Turn = {
  readonly id: TurnId;
  readonly threadId: ThreadId;
  readonly userId: UserId;
  /** Its number in the thread, from 1. */
  readonly seq: number;
  /** The first turn of its run: one input, followed through gates and steering. null for the first turn itself. */
  readonly run: TurnId | null;
  /** The run that is the root of its tree, if it has children or is part of one. */
  readonly tree?: TurnId | null;
  /** Set when an attempt runs it as a part of a child. */
  readonly child?: ChildRun | null;
  /** Set when it was accepted to steer the turn ahead. */
  readonly steers: Steers | null;
  /** The turn that continues its run, because a message steered this one. */
  readonly steeredBy: TurnId | null;
  readonly status: TurnStatus;
  readonly channel: Channel;
  readonly request: TurnRequest;
  readonly failure: Failure | null;
  readonly usage: Usage;
  /** The number of its attempt, from 0; -1 before the first one. It fences every write of the turn. */
  readonly attempt: number;
  /** Set once the turn is to be cancelled. */
  readonly cancelReason: CancelReason | null;
  readonly createdAt: Date;
  readonly endedAt: Date | null;
};

/** At which point of the turn ahead a queued message is to be read: after its present step, or at once. */
export type Steers = 'step' | 'now';

export type TurnStatus = 'queued' | 'running' | EndedStatus;
export type EndedStatus = 'waiting' | 'completed' | 'incomplete' | 'failed' | 'cancelled';
/** Cancelled by a user, or because of one of these failures. */
export type CancelReason = 'cancelled' | 'turn_timeout' | GateRefusal;
export type GateRefusal =
  | 'tool_output_missing'
  | 'approval_required'
  | 'authentication_required'
  | 'pairing_required'
  | 'input_required';
export type Channel = 'responses' | 'chat-completions' | 'gateway' | 'webhook' | 'mission' | ChatChannel;

/** A request that its client repeats by itself. `digest` is the digest of its path and body. */
export type RequestTry = { readonly digest: string; readonly isRepeated: boolean };

/** The request's settings, besides its input items. */
export type TurnRequest = {
  /** The turn is cancelled so long after it was accepted; absent when no caller waits for its end. */
  readonly timeoutMs?: number;
  /** A routing hint, or null for the default model. */
  readonly model: string | null;
  readonly temperature: number | null;
  readonly tools: readonly ToolDefinition[];
  readonly sampling?: Sampling;
  /** How much of its reasoning the model summarises for the caller; absent for nothing. */
  readonly reasoningDetail?: ReasoningDetail;
  /** The form of the answer; absent for prose. */
  readonly format?: OutputFormat;
  /** The answer must be a call of one of `tools`; the agent's own tools are not offered then. */
  readonly mustCall?: boolean;
  /** Prompts above this number of tokens are compacted, and the reply has the summary as an item. */
  readonly compactAbove?: number;
  /** `compaction`: the turn summarises its input instead of answering it. */
  readonly task?: 'compaction';
  /** The caller's span, if the request named one. */
  readonly trace?: TraceContext;
  /** The thread that it begins is temporary. */
  readonly temporary?: true;
  /** The project of the thread that it begins. */
  readonly project?: ProjectId;
  /** The mission that the turn is a run of. */
  readonly mission?: MissionRun;
  /** The assistant that answers, in the version that it had when the turn was accepted. */
  readonly assistant?: TurnAssistant;
  /** Of a child: what it gets from the run that has started it. */
  readonly above?: Above;
  /** The workspace that the turn works on instead of its thread's own. */
  readonly container?: WorkspaceId;
  /** What the caller wants of searches in the web. */
  readonly search?: SearchOptions;
  /** It neither searches the web nor opens its pages. */
  readonly withoutWeb?: true;
  /** The vector stores that the turn can search. */
  readonly stores?: StoreSearch;
  /** Data of the channel, stored so that it can render the reply again. */
  readonly echo: Readonly<Record<string, unknown>>;
};

/** `details`: for clients that write their own sentences; the message is English. Failures of earlier versions have none. */
export type Failure = { readonly code: FailureCode; readonly message: string; readonly details?: FailureDetails };

export type FailureCode =
  | 'model_error'
  | 'model_not_configured'
  | 'tool_error'
  | 'turn_timeout'
  | 'approval_required'
  | 'authentication_required'
  | 'pairing_required'
  | 'input_required'
  | 'tool_output_missing'
  | 'previous_response_not_found'
  | 'invalid_output'
  | 'max_rounds'
  | 'budget_exceeded'
  | 'attachment_unavailable'
  | 'interrupted'
  | 'internal_error';

/** How a turn ends. Expected ends are values, not exceptions. */
export type TurnOutcome =
  | { readonly status: 'completed' | 'cancelled' }
  /** `steered`: a message came that is to be read first. Otherwise the model has reached its limit. */
  | { readonly status: 'incomplete'; readonly steered?: true }
  | { readonly status: 'waiting'; readonly gate: NewGate }
  | { readonly status: 'failed'; readonly failure: Failure; readonly refused?: boolean };

export function isEnded(turn: Turn): boolean {
  return turn.status !== 'queued' && turn.status !== 'running';
}

/** Why a message can't run while an earlier turn of its thread waits at `gate`, and where a person can answer it. */
export function refusalAt(
  gate: Pick<NewGate, 'kind' | 'call'>,
  threadUrl?: string,
): Failure & { readonly code: GateRefusal } {
  const where = threadUrl ? `in the web UI: ${threadUrl}` : 'in the web UI.';
  switch (gate.kind) {
    case 'external-tool':
      return {
        code: 'tool_output_missing',
        message: `The thread waits for the output of call_id "${gate.call.callId}".`,
      };
    case 'approval':
      return { code: 'approval_required', message: `The thread waits for an approval. Answer it ${where}` };
    case 'auth':
      return { code: 'authentication_required', message: `The thread waits for a sign-in. Finish it ${where}` };
    case 'input':
      return { code: 'input_required', message: `The thread waits for the answer to a question. Answer it ${where}` };
    case 'pairing':
      return { code: 'pairing_required', message: `The thread waits to be paired with a user. Pair it ${where}` };
  }
}

/** The items as the thread has them once they are written. */
export function positionItems(
  turn: Pick<Turn, 'id' | 'threadId' | 'seq' | 'attempt'>,
  position: number,
  items: readonly WrittenItem[],
): Item[] {
  return items.map(({ started, ...item }, index) => ({
    ...item,
    threadId: turn.threadId,
    turnId: turn.id,
    turnSeq: turn.seq,
    position: position + index,
    attempt: turn.attempt,
    startedAt: started ? new Date() : null,
  }));
}

/** The input of a turn as the thread has it once the turn is accepted. */
export function positionInput(turn: Pick<Turn, 'id' | 'threadId' | 'seq'>, items: readonly NewItem[]): Item[] {
  return items.map((item, position) => ({
    ...item,
    threadId: turn.threadId,
    turnId: turn.id,
    turnSeq: turn.seq,
    position,
    attempt: null,
    usage: null,
    startedAt: null,
  }));
}

/** A turn, its items, and the gate it ended at. */
export type TurnRecord = {
  readonly turn: Turn;
  readonly items: readonly Item[];
  readonly gate: Gate | null;
  /** The turn that continued after the gate was answered. */
  readonly continuedBy?: TurnId | null;
};

/** What a person thinks of the answer of a turn. */
export type Rating = {
  readonly turnId: TurnId;
  readonly rating: 'good' | 'bad';
  /** Why, in the person's words. */
  readonly reason: string | null;
  readonly updatedAt: Date;
};

/** A rating as operators see it: without the words of the thread, unless they are its title. */
export type ListedRating = Rating & {
  readonly userId: UserId;
  readonly threadId: ThreadId;
  /** The title that its owner or a model gave it; null without one, since the first message is for its owner only. */
  readonly title: string | null;
  /** The model that answered, if it is known. */
  readonly model: string | null;
};
