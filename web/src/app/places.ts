import { t } from '@lingui/core/macro';
import type { IconName } from '../parts/icon.tsx';

export type Place = {
  readonly to:
    | '/jobs'
    | '/missions'
    | '/notifications'
    | '/memory'
    | '/tools'
    | '/skills'
    | `/operator/${'users' | 'models' | 'channels' | 'usage' | 'audit' | 'health'}`;
  readonly words: string;
  readonly icon: IconName;
};

export const places = (): readonly Place[] => [
  { to: '/jobs', words: t`Jobs`, icon: 'jobs' },
  { to: '/missions', words: t`Missions`, icon: 'clock' },
  { to: '/notifications', words: t`Notifications`, icon: 'bell' },
  { to: '/memory', words: t`Memory`, icon: 'memory' },
  { to: '/tools', words: t`Tools`, icon: 'tool' },
  { to: '/skills', words: t`Skills`, icon: 'skill' },
];

export const operatorPlaces = (): readonly Place[] => [
  { to: '/operator/users', words: t`Users`, icon: 'users' },
  { to: '/operator/models', words: t`Models`, icon: 'model' },
  { to: '/operator/channels', words: t`Channels`, icon: 'chat' },
  { to: '/operator/usage', words: t`Usage`, icon: 'chart' },
  { to: '/operator/audit', words: t`Audit`, icon: 'log' },
  { to: '/operator/health', words: t`Health`, icon: 'heart' },
];
