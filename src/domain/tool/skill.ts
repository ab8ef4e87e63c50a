/** Something the agent can read up on: what it is about, and texts to read when that is wanted. */
export type Skill = SkillSummary & {
  /** By their paths within the skill; `SKILL.md` is what to read first. */
  readonly files: Readonly<Record<string, string>>;
};

export type SkillSummary = { readonly name: string; readonly description: string };
