import type { ThreadId, TurnId, WorkspaceId } from '#domain/ids.ts';
import type { Principal } from '#domain/principal.ts';
import type { SearchOptions } from '#domain/search/search-options.ts';
import type { StoreSearch } from '#domain/search/vector-store.ts';
import type { WebBudget, WebUse } from '#domain/search/web-use.ts';
import type { ModelCall } from '#domain/spending.ts';
import type { AttachedPart, OutputReads, RanCode } from '#domain/thread/item.ts';
import {
  FOREIGN_AND_PRIVATE,
  type Reads,
  type SeenSource,
  type Situation,
  type SourceKind,
} from '#domain/thread/origin.ts';
import type { ToolProgress } from '#domain/thread/turn-event.ts';
import type { AllowedBy } from '#domain/tool/allowed-by.ts';
import type { ToolCard } from '#domain/tool/call-card.ts';
import type { Question, QuestionInput } from '#domain/tool/question.ts';
import type { AddressQuestion, ReadSoFar } from '#domain/tool/read-so-far.ts';
import { isReservedName } from '#domain/tool/reserved-names.ts';
import type { ToolDefinition, ToolLevel } from '#domain/tool/tool.ts';
import type { OpenSources } from './source-port.ts';
import type { OpenWorkspace } from './workspace-port.ts';

/** A tool of the agent. */
export type Tool = {
  readonly definition: ToolDefinition;
  /** Whether a call can be repeated after a crash: the tool only reads, or it uses the idempotency key. */
  readonly repeatable: boolean;
  /** What it does with data. A tool that does not say it is assumed to do everything. */
  readonly flow?: ToolFlow;
  /** The same for a call that does more than others, such as one with network. */
  flowOfCall?(argumentsJson: string): ToolFlow | undefined;
  /** The source of the output, if the tool's name does not say it. */
  source?(argumentsJson: string): string | undefined;
  /** The level of its calls while the model has read nothing by others; `ask` when left out. The operator's setting overrides it. */
  readonly level?: ToolLevel;
  /** Changes with each version of the tool, and of the environment that it runs code in. Approvals apply to one version only. */
  readonly revision?: string;
  /**
   * What a call works on besides its arguments, such as the version of the files. An approval applies to it: if it has changed when
   * the call could run, the person is asked again.
   */
  state?(owner: Pick<Principal, 'userId'>, workspace: WorkspaceId): Promise<string>;
  /** The MCP server that it belongs to. */
  readonly server?: string;
  /** What it calls itself, for people. */
  readonly title?: string;
  /** How its calls read on a card; built-in tools have theirs in `builtin/cards/`. */
  readonly card?: ToolCard;
  /** Names of what the arguments identify, for the card: `{ id: 'Morning summary' }`. null: there is no such thing. */
  names?(argumentsJson: string, owner: Pick<Principal, 'userId'>): Promise<Readonly<Record<string, string | null>>>;
  /** This version was not reviewed: the operator's `allow` does not apply to it. */
  readonly unreviewed?: true;
  /** Whether the owner of the secrets must sign in first. The call waits until then. */
  needsSignIn?(secretsOf: ToolContext['secretsOf']): Promise<boolean>;
  /** It is offered only in threads that have documents. */
  readonly needsDocuments?: true;
  /** It is offered only to requests that name vector stores. */
  readonly needsStores?: true;
  /** A turn runs its calls as children, and not by `call`. */
  readonly delegates?: true;
  /** Its calls can ask a person: they throw `InputRequired`. */
  readonly asks?: true;
  /** Whether models are told of it; always when left out. */
  isOffered?(): Promise<boolean>;
  /**
   * Begins what a call will wait for, while calls before it run. It is called only for calls that may run, and must change nothing:
   * the call may never come.
   */
  prepare?(argumentsJson: string, context: PrepareContext): Promise<void>;
  /** Milliseconds for which this replica refuses its calls, because it crashed too often. */
  quarantineLeft?(): number;
  /** Resolves to the output for the model, which includes the tool's own errors. Throws only if the tool can't run at all. */
  call(argumentsJson: string, context: ToolContext): Promise<string>;
};

/** The tools at one moment. */
export type ToolSet = {
  find(name: string): Tool | undefined;
  definitions(): readonly ToolDefinition[];
};

/** Where a tool's data comes from and goes to. Safety is decided by this and by what the model has read, not by words. */
export type ToolFlow = {
  /** The origin of its output, unless a call says it more exactly (`onReads`). An output that is neither is not wrapped. */
  readonly reads: Reads;
  /** What its output is called on a card; `tool` or `server` with its name when left out. */
  readonly from?: SourceKind;
  /**
   * When a call of the level `allow` runs without a question: `always`, because it only reads at a trusted place or reaches no one
   * but the person; only while the situation is `clean`; or as the function decides for each call, in every situation.
   */
  readonly runs: 'always' | 'clean' | JudgeCall;
  /** It changes nothing and sends nothing, so it runs even after text that looks like an attack. */
  readonly inert?: true;
  /** Its effects can't be undone, so its question has a separate card, and a call that was interrupted is not repeated. */
  readonly irreversible?: true;
  /** The hosts that it can send data to, for the card. */
  readonly hosts?: readonly string[];
  /** What an approval of it opens without further questions, for the card. */
  readonly grants?: WebBudget;
};

/** A tool's own rule for one call. An address that needs an approval says how the question is put. */
export type JudgeCall = (
  argumentsJson: string,
  read: ReadSoFar,
  owner: Pick<Principal, 'userId'>,
) => Judgement | Promise<Judgement>;
export type Judgement = 'runs' | 'asks' | AddressQuestion;

/** For tools that compute, or read what the service itself wrote. */
export const INERT: ToolFlow = { reads: {}, runs: 'always', inert: true };

/** Of a tool that does not declare it. */
const UNDECLARED: ToolFlow = { reads: FOREIGN_AND_PRIVATE, runs: 'clean' };

export const flowOf = (tool: Pick<Tool, 'flow' | 'flowOfCall'> | undefined, argumentsJson?: string): ToolFlow =>
  (argumentsJson !== undefined && tool?.flowOfCall?.(argumentsJson)) || (tool?.flow ?? UNDECLARED);

/** Whether others wrote the tool. Only the service's own have reserved names. */
export const isInstalled = (tool: Pick<Tool, 'revision' | 'definition'> | undefined): boolean =>
  tool?.revision !== undefined && !isReservedName(tool.definition.name);

/** Whether the model gets the output without a wrapper. */
export const isTrusted = (tool: Pick<Tool, 'flow'> | undefined): boolean => {
  const { reads } = flowOf(tool);
  return !reads.foreign && !reads.private;
};

export type ToolContext = {
  readonly owner: Pick<Principal, 'userId'>;
  /** Whose secrets the call can use: the owner's, or the secrets of the user that the owner is paired with. */
  readonly secretsOf: Pick<Principal, 'userId'>;
  /** The same for every attempt of one call. */
  readonly idempotencyKey: string;
  readonly signal: AbortSignal;
  /** What the model had read when it made the call. The tool stores it with its data. */
  readonly situation?: Situation;
  /** The addresses that the person had written when the model made the call, as `canonicalAddress` writes them. */
  readonly ownLinks?: (() => ReadonlySet<string>) | undefined;
  /** Where the texts come from that the model had read when it made the call. */
  readonly seen?: (() => readonly SeenSource[]) | undefined;
  /** The turn of the call. Undefined where there is no thread. */
  readonly turn?: { readonly id: TurnId; readonly threadId: ThreadId } | undefined;
  /** What lets the call run. */
  readonly allowedBy?: AllowedBy | undefined;
  /** The origin of this call's output, if it differs from the tool's. */
  readonly onReads?: ((reads: OutputReads) => void) | undefined;
  /** How the code of this call ended. */
  readonly onRan?: ((ran: RanCode) => void) | undefined;
  /** The answer to the question of an earlier attempt, with the state that came with it. */
  readonly answered?: AnsweredQuestion | undefined;
  /** The thread's files. Undefined without a thread. */
  readonly workspace?: OpenWorkspace | undefined;
  /** The thread's sources. Undefined where there is no thread. */
  readonly sources?: OpenSources | undefined;
  /** What the request says about searches. */
  readonly search?: SearchOptions | undefined;
  /** What the request says about searches in its vector stores. */
  readonly stores?: StoreSearch | undefined;
  /** What was searched and opened so far, for the limits. Undefined where there is no thread. */
  readonly webUse?: (() => Promise<WebUse>) | undefined;
  /** Counts what the call has cost. It is written with the output. */
  readonly onCost?: ((cost: ModelCall) => void) | undefined;
  /** Shows how far the call is. */
  readonly onProgress?: ((progress: ToolProgress) => void) | undefined;
  /** Adds a picture or a file to the output. People see it; the model does if it is marked. */
  readonly onFile?: ((file: AttachedPart) => void) | undefined;
  /** The tool was stopped at one of its limits, crashed or was not reached; the code is for the log. */
  readonly onStopped?: ((code: string) => void) | undefined;
  /** For the requests of the call; undefined when traces are not exported. */
  readonly traceparent?: string | undefined;
};

export type PrepareContext = Pick<ToolContext, 'owner' | 'signal' | 'ownLinks' | 'webUse'>;

export type AnsweredQuestion = { readonly state: unknown; readonly input: QuestionInput };

/** A person must answer first. The call is made again with the answer, and with the state. */
export class InputRequired extends Error {
  override readonly name = 'InputRequired';
  readonly question: Question;
  readonly state: object;

  constructor(question: Question, state: object) {
    super('The server asks a person before it can finish the call.');
    this.question = question;
    this.state = state;
  }
}

/** The owner of the secrets must sign in again. The call has not run, so it can wait for that. */
export class SignInRequired extends Error {
  override readonly name = 'SignInRequired';
}
