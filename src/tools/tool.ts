import type { Principal } from '#domain/principal.ts';
import type { InlinePart } from '#domain/thread/item.ts';
import type { ToolProgress } from '#domain/thread/turn-event.ts';
import type { Question, QuestionInput } from '#domain/tool/question.ts';
import type { ToolDefinition, ToolLevel } from '#domain/tool/tool.ts';

/** A tool of the agent. */
export type Tool = {
  readonly definition: ToolDefinition;
  /** Whether a call can be repeated after a crash: the tool only reads, or it uses the idempotency key. */
  readonly repeatable: boolean;
  /** Its output is not foreign text, so the model gets it without a wrapper. */
  readonly trusted?: true;
  /** It changes nothing and sends nothing, so its calls need no approval even after suspicious text. */
  readonly inert?: true;
  /** The source of the output, if the tool's name does not say it. */
  source?(argumentsJson: string): string | undefined;
  /** The level of its calls; `ask` when left out. The operator's setting overrides it. */
  readonly level?: ToolLevel | ((argumentsJson: string, facts: LevelFacts) => ToolLevel | Promise<ToolLevel>);
  /** Changes with each version of the tool. Approvals apply to one version only. */
  readonly revision?: string;
  /** The MCP server that it belongs to. */
  readonly server?: string;
  /** This version was not reviewed: the operator's `allow` does not apply to it. */
  readonly unreviewed?: true;
  /** Whether the owner of the secrets must sign in first. The call waits until then. */
  needsSignIn?(secretsOf: ToolContext['secretsOf']): Promise<boolean>;
  /** Its calls can ask a person: they throw `InputRequired`. */
  readonly asks?: true;
  /** Milliseconds for which this replica refuses its calls, because it crashed too often. */
  restLeft?(): number;
  /** Resolves to the output for the model, which includes the tool's own errors. Throws only if the tool can't run at all. */
  call(argumentsJson: string, context: ToolContext): Promise<string>;
};

/** The tools at one moment. */
export type ToolSet = {
  find(name: string): Tool | undefined;
  definitions(): readonly ToolDefinition[];
};

/** Facts that a tool's level can depend on. */
export type LevelFacts = {
  readonly owner: Pick<Principal, 'userId'>;
  /** The messages of the thread's user, oldest first. */
  readonly userTexts: () => readonly string[];
};

export type ToolContext = {
  readonly owner: Pick<Principal, 'userId'>;
  /** Whose secrets the call can use: the owner's, or those of the user the owner is paired with. */
  readonly secretsOf: Pick<Principal, 'userId'>;
  /** The same for every attempt of one call. */
  readonly idempotencyKey: string;
  readonly signal: AbortSignal;
  /** The answer to the question of an earlier attempt, with the state that came with it. */
  readonly answered?: AnsweredQuestion | undefined;
  /** Shows how far the call is. */
  readonly onProgress?: ((progress: ToolProgress) => void) | undefined;
  /** Adds a picture or a file to the output. People see it, the model does not. */
  readonly onFile?: ((file: InlinePart) => void) | undefined;
  /** The tool was stopped at one of its limits, crashed or was not reached; the code is for the log. */
  readonly onStopped?: ((code: string) => void) | undefined;
  /** Asks the user's model, which sees the request and nothing else. Throws `ModelRefused`. */
  readonly askModel?: ((request: ToolModelRequest) => Promise<ToolModelAnswer>) | undefined;
  /** For the requests of the call; undefined when traces are not exported. */
  readonly traceparent?: string | undefined;
};

/** What a tool asks the model. All of its text is foreign. */
export type ToolModelRequest = {
  readonly instructions: string;
  readonly messages: readonly { readonly role: 'user' | 'assistant'; readonly text: string }[];
  readonly maxTokens: number;
  readonly temperature: number | null;
};

/** `isCut`: the answer reached `maxTokens`. */
export type ToolModelAnswer = { readonly text: string; readonly model: string; readonly isCut: boolean };

/** The model was not asked, or did not answer. The message is safe for the tool. */
export class ModelRefused extends Error {
  override readonly name = 'ModelRefused';
}

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
