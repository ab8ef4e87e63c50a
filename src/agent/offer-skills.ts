import type { SkillSummary } from '#domain/skill.ts';

/** More would crowd the prompt; the rest is found by skill_list. */
const MAX_OFFERED = 50;

/** A line for each skill, so that the model knows when to read one; nothing when there are none. */
export function skillsBlock(skills: readonly SkillSummary[]): string {
  if (skills.length === 0) return '';
  const lines = skills
    .slice(0, MAX_OFFERED)
    .map(({ name, description }) => `- ${name}: ${description.slice(0, 300).toWellFormed()}`);
  const more = skills.length > MAX_OFFERED ? [`${skills.length - MAX_OFFERED} more are told by skill_list.`] : [];
  return [INTRODUCTION, ...lines, ...more].join('\n');
}

const INTRODUCTION = 'Before you do something that one of these skills is about, read it with skill_read:';
