import type { BlockReason } from '#domain/thread/item.ts';
import type { ToolCall } from '#domain/tool/tool.ts';
import { inspectIncoming, inspectOutgoing } from '#safety/inspect.ts';
import type { Action } from '#safety/rule.ts';
import { createStreamRedactor, type StreamRedactor } from '#safety/secrets/stream-redactor.ts';
import type { Owner } from '#store/connection.ts';
import type { FindKnownSecrets, SecretsVersion } from '#tools/secrets/known-secrets.ts';

/** Checks everything that enters and leaves a turn for secrets and injections. */
export type Safety = {
  /** Loads the owner's secrets ahead of a turn, unless `version` says that they have not changed. */
  prepare(owner: Owner, version: SecretsVersion): void;
  /** A tool's output, and the texts that belong to it, as they can be stored, without secrets. What they share is reported once. */
  receive(owner: Owner, toolName: string, texts: readonly string[]): Promise<string[]>;
  /** The call as it can be stored. A blocked call has lost its arguments. */
  checkCall(owner: Owner, call: ToolCall): Promise<CheckedCall>;
  /** The rules because of which a call with these arguments needs approval. */
  flagsOfCall(owner: Owner, argumentsJson: string): Promise<readonly string[]>;
  /** Removes secrets from the model's streamed text. */
  redactorFor(owner: Owner): Promise<StreamRedactor>;
  /** Removes secrets from whole texts. */
  textRedactorFor(owner: Owner): Promise<(text: string) => string>;
};

export type CheckedCall = ToolCall & { readonly blocked?: BlockReason };

export type SafetyParts = {
  readonly knownSecrets: FindKnownSecrets;
  /** Called with the rules that matched, never with the text. */
  readonly onActions: (where: { readonly tool: string; readonly userId: string }, actions: readonly Action[]) => void;
};

export function createSafety({ knownSecrets, onActions }: SafetyParts): Safety {
  const note = (owner: Owner, tool: string, actions: readonly Action[]) => {
    if (actions.length > 0) onActions({ tool, userId: owner.userId }, actions);
  };

  return {
    prepare(owner, version) {
      knownSecrets(owner, version).catch(() => {}); // the next caller asks again, and gets the error
    },
    async receive(owner, toolName, texts) {
      const known = await knownSecrets(owner);
      const inspected = await Promise.all(texts.map((text) => inspectIncoming(text, known, owner.userId)));
      note(owner, toolName, mostOfEach(inspected.flatMap(({ actions }) => actions)));
      return inspected.map(({ text }) => text);
    },
    async checkCall(owner, call) {
      const { blocked, actions } = await inspectOutgoing(call.arguments, await knownSecrets(owner), owner.userId);
      note(owner, call.name, actions);
      return blocked ? { ...call, arguments: '{}', blocked } : call;
    },
    flagsOfCall: async (owner, argumentsJson) =>
      (await inspectOutgoing(argumentsJson, await knownSecrets(owner), owner.userId)).flags,
    redactorFor: async (owner) => createStreamRedactor((await knownSecrets(owner)).values),
    async textRedactorFor(owner) {
      const { values } = await knownSecrets(owner);
      return (text) => {
        const redactor = createStreamRedactor(values);
        return redactor.push(text) + redactor.end();
      };
    },
  };
}

/** Of the same rule in several texts, the one with the most matches. */
function mostOfEach(actions: readonly Action[]): Action[] {
  const sorted = actions.toSorted((a, b) => a.times - b.times);
  return [...new Map(sorted.map((action) => [`${action.rule} ${action.does}`, action])).values()];
}
