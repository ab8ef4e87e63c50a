import type { SkillList } from '@reborn-agent/client/api';

export type ListedSkill = SkillList['skills'][number];

export const SOURCES: Record<ListedSkill['source'], string> = {
  me: 'yours',
  everyone: 'for everyone',
  folder: 'on the server',
};
