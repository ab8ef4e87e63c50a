import { t } from '@lingui/core/macro';
import type { SkillList } from '@reborn-agent/client/api';

export type ListedSkill = SkillList['skills'][number];

export const sources = (): Record<ListedSkill['source'], string> => ({
  me: t`yours`,
  everyone: t`for everyone`,
  folder: t`on the server`,
});
