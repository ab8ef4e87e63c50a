import type { ToolCall } from '#domain/tool/tool.ts';
import { inspectIncoming, inspectOutgoing } from '#safety/inspect.ts';
import type { Action } from '#safety/rule.ts';
import { createStreamRedactor, type StreamRedactor } from '#safety/secrets/stream-redactor.ts';
import type { Owner } from '#store/connection.ts';
import type { FindKnownSecrets, SecretsVersion } from '#tools/secrets/known-secrets.ts';

/** Where something comes in or goes out, what is looked for there, and what is done about it. */
export type Safety = {
  /** A turn of `owner` begins, and their secrets are in the state that `version` names: none is read again for nothing. */
  prepare(owner: Owner, version: SecretsVersion): void;
  /** A tool's output as it may be kept. */
  receive(owner: Owner, toolName: string, output: string): Promise<string>;
  /** A call as it may be kept. One that must not be made has lost its arguments. */
  checkCall<Call extends ToolCall>(owner: Owner, call: Call): Promise<Call>;
  /** The rules that want a call with these arguments to be asked for. */
  flagsOfCall(owner: Owner, argumentsJson: string): Promise<readonly string[]>;
  /** For what the model says, piece by piece. */
  redactorFor(owner: Owner): Promise<StreamRedactor>;
};

export type SafetyParts = {
  readonly knownSecrets: FindKnownSecrets;
  /** Rules, and never what they found. */
  readonly onActions: (where: { readonly tool: string; readonly userId: string }, actions: readonly Action[]) => void;
};

export function createSafety({ knownSecrets, onActions }: SafetyParts): Safety {
  const note = (owner: Owner, tool: string, actions: readonly Action[]) => {
    if (actions.length > 0) onActions({ tool, userId: owner.userId }, actions);
  };

  return {
    prepare(owner, version) {
      knownSecrets(owner, version).catch(() => {}); // whoever needs the answer asks again, and learns of the error
    },
    async receive(owner, toolName, output) {
      const { text, actions } = await inspectIncoming(output, await knownSecrets(owner), owner.userId);
      note(owner, toolName, actions);
      return text;
    },
    async checkCall(owner, call) {
      const { isBlocked, actions } = await inspectOutgoing(call.arguments, await knownSecrets(owner), owner.userId);
      note(owner, call.name, actions);
      return isBlocked ? { ...call, arguments: BLOCKED_ARGUMENTS } : call;
    },
    flagsOfCall: async (owner, argumentsJson) =>
      (await inspectOutgoing(argumentsJson, await knownSecrets(owner), owner.userId)).flags,
    redactorFor: async (owner) => createStreamRedactor((await knownSecrets(owner)).values),
  };
}

/** Stands in a blocked call for the arguments, which are nowhere kept. A model that writes it itself is blocked as well. */
const BLOCKED_ARGUMENTS = '{"blocked":"The arguments held a stored secret."}';

export const isBlockedCall = (call: ToolCall): boolean => call.arguments === BLOCKED_ARGUMENTS;

export const BLOCKED_OUTPUT =
  'Not run: the arguments held a stored secret, which no tool is told. Tools that need it get it from the host. Call it without the secret.';
