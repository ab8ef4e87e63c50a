import type { Principal } from '#domain/principal.ts';
import type { ToolDefinition } from '#domain/tool.ts';
import type { Level } from '#safety/raise-level.ts';

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
  /** Whether this very call needs consent, besides what holds for the tool. */
  level?(argumentsJson: string, context: LevelContext): Level;
  /** Whether `owner` has yet to sign in to what the tool stands for. Its call waits until that is done. */
  needsSignIn?(owner: ToolContext['owner']): Promise<boolean>;
  /** Resolves to what the model shall read. A tool's own error is such a text too; only what can't be run at all throws. */
  call(argumentsJson: string, context: ToolContext): Promise<string>;
};

export type ToolContext = {
  readonly owner: Pick<Principal, 'userId'>;
  /** The same for every try of one call. */
  readonly idempotencyKey: string;
  readonly signal: AbortSignal;
};

export type LevelContext = {
  /** What the user has said in the thread. */
  readonly userTexts: readonly string[];
};
