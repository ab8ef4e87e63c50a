import type { Principal } from '#domain/principal.ts';
import type { ToolDefinition, ToolLevel } from '#domain/tool/tool.ts';

/** What the agent can do. */
export type Tool = {
  readonly definition: ToolDefinition;
  /** Whether it may be run again when a crash hid how it ended: it only reads, or it takes the idempotency key. */
  readonly repeatable: boolean;
  /** Its words are ours, and not somebody else's: the model may take them as they are. */
  readonly trusted?: true;
  /** It reaches nobody and changes nothing, so nobody is asked for it whatever the model has read. */
  readonly inert?: true;
  /** Where the output of such a call comes from, if its name does not say it well enough. */
  source?(argumentsJson: string): string | undefined;
  /** Whether its calls may be made, or which of them; left out, somebody is asked. The operator has the last word. */
  readonly level?: ToolLevel | ((argumentsJson: string, facts: LevelFacts) => ToolLevel | Promise<ToolLevel>);
  /** Another one whenever the tool has changed: what was approved for the old one is asked again. */
  readonly revision?: string;
  /** Whether the one whose secrets are used has yet to sign in to what the tool stands for. Its call waits until then. */
  needsSignIn?(secretsOf: ToolContext['secretsOf']): Promise<boolean>;
  /** Milliseconds for which its calls are refused here, because it crashed too often. */
  restLeft?(): number;
  /** Resolves to what the model shall read. A tool's own error is such a text too; only what can't be run at all throws. */
  call(argumentsJson: string, context: ToolContext): Promise<string>;
};

/** What a tool may base its level on. */
export type LevelFacts = {
  readonly owner: Pick<Principal, 'userId'>;
  /** What the thread's user has said, the oldest first. */
  readonly userTexts: () => readonly string[];
};

export type ToolContext = {
  readonly owner: Pick<Principal, 'userId'>;
  /** Whose secrets the call may use: the owner's, or those of the user with whom the owner is paired. */
  readonly secretsOf: Pick<Principal, 'userId'>;
  /** The same for every try of one call. */
  readonly idempotencyKey: string;
  readonly signal: AbortSignal;
};
