import type { SecretSearch } from './secrets/secret-search.ts';

/** Something to look for in a text, and the action to take. */
export type Rule = {
  readonly name: string;
  readonly does: RuleAction;
  /** How often it occurs, and the redacted text if the rule redacts. */
  inspect(text: string, facts: RuleFacts): Finding | Promise<Finding>;
};

/**
 * `block`: the call is not made. `redact`: the finding is removed. `ask`: the agent's later actions need approval.
 * `warn`: the finding is logged.
 */
export type RuleAction = 'block' | 'redact' | 'ask' | 'warn';

export type Finding = { readonly times: number; readonly text: string };

/** Further input of a rule besides the text. */
export type RuleFacts = { readonly search: SecretSearch };

/** The secrets of the owner, the shared ones, and the service's own, in plain text. */
export type KnownSecrets = { readonly values: ReadonlyMap<string, string> };

/** The action taken, without the finding itself, so that it can be logged. */
export type Action = { readonly rule: string; readonly does: RuleAction; readonly times: number };
