import type { ListedSkill } from '../client/shapes.ts';

export const SOURCES: Record<ListedSkill['source'], string> = {
  me: 'yours',
  everyone: 'for everyone',
  folder: 'on the server',
};
