/** Instructions that the agent can read when it needs them. */
export type Skill = SkillSummary & {
  /** File contents by path within the skill; `SKILL.md` is read first. */
  readonly files: Readonly<Record<string, string>>;
};

export type SkillSummary = { readonly name: string; readonly description: string };
