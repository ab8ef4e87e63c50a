import type { SecretSearch } from './secrets/secret-search.ts';

/** One thing that is looked for in a text, and what is done about it. */
export type Rule = {
  readonly name: string;
  readonly does: RuleAction;
  /** How often it is there, and the text without it if the rule redacts. */
  inspect(text: string, facts: RuleFacts): Finding | Promise<Finding>;
};

/**
 * `block`: the call is not made. `redact`: it is taken out. `ask`: what the agent does next needs somebody's consent.
 * `warn`: it is noted in the log.
 */
export type RuleAction = 'block' | 'redact' | 'ask' | 'warn';

export type Finding = { readonly times: number; readonly text: string };

/** What a rule may need besides the text. */
export type RuleFacts = { readonly search: SecretSearch };

/** What must not be seen: the secrets of the owner, of everyone, and of the service itself, in clear. */
export type KnownSecrets = { readonly values: ReadonlyMap<string, string> };

/** What was done, without what was found: fit for a log. */
export type Action = { readonly rule: string; readonly does: RuleAction; readonly times: number };
