/** What a replica announces to its peers. */
export type ReplicaFacts = {
  /** A description of its model settings; null for older versions, which do not announce it. */
  readonly model: string | null;
  /** Started inside a command, such as `reborn ask`, and not by `reborn serve`. */
  readonly isCommand: boolean;
};

export type JoiningVerdict = { readonly refusal?: string; readonly warning?: string };

/** The demo model in such a description. */
export const DEMO_MODEL = 'demo';

/**
 * Whether a new replica may run turns beside the living ones. Replicas claim each other's turns, so each of them must be
 * one that the operator wants to answer.
 */
export function judgeJoining(self: ReplicaFacts, living: readonly ReplicaFacts[]): JoiningVerdict {
  const others = living.filter(({ model }) => model !== self.model);
  const services = living.filter(({ isCommand }) => !isCommand);

  if (self.isCommand && services.length > 0)
    return {
      refusal:
        `A service (${modelsOf(services)}) is running on this database, but this command can't attach to it. ` +
        "Run the command with that service's REBORN_HOME, and leave its gateway on; or set REBORN_URL and REBORN_TOKEN; or stop the service first.",
    };
  if (self.isCommand && others.length > 0)
    return {
      refusal:
        `Another command is running on this database with another model (${modelsOf(others)}). ` +
        'Wait until it has ended, or give this command the same LLM settings.',
    };
  if (self.model === DEMO_MODEL && others.length > 0)
    return {
      refusal:
        `A service with a configured model (${modelsOf(others)}) is running on this database, and the demo model would ` +
        'answer its turns. Set LLM_PROVIDER and LLM_MODEL as that service has them.',
    };
  if (others.length > 0)
    return {
      warning:
        `This replica's model settings are ${self.model}, but other replicas on this database have ${modelsOf(others)}. ` +
        'Turns are answered by either until all replicas have the same LLM settings.',
    };
  return {};
}

function modelsOf(replicas: readonly ReplicaFacts[]): string {
  return [...new Set(replicas.map(({ model }) => model ?? 'a model that is not known'))].join('; ');
}
