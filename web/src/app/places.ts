import type { IconName } from '../parts/icon.tsx';

export type Place = {
  readonly to:
    | '/jobs'
    | '/missions'
    | '/notifications'
    | '/memory'
    | '/tools'
    | '/skills'
    | `/operator/${'users' | 'models' | 'usage' | 'audit' | 'health'}`;
  readonly words: string;
  readonly icon: IconName;
};

export const PLACES: readonly Place[] = [
  { to: '/jobs', words: 'Jobs', icon: 'jobs' },
  { to: '/missions', words: 'Missions', icon: 'clock' },
  { to: '/notifications', words: 'Notifications', icon: 'bell' },
  { to: '/memory', words: 'Memory', icon: 'memory' },
  { to: '/tools', words: 'Tools', icon: 'tool' },
  { to: '/skills', words: 'Skills', icon: 'skill' },
];

export const OPERATOR_PLACES: readonly Place[] = [
  { to: '/operator/users', words: 'Users', icon: 'users' },
  { to: '/operator/models', words: 'Models', icon: 'model' },
  { to: '/operator/usage', words: 'Usage', icon: 'chart' },
  { to: '/operator/audit', words: 'Audit', icon: 'log' },
  { to: '/operator/health', words: 'Health', icon: 'heart' },
];
