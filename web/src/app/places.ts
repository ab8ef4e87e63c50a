import { t } from '@lingui/core/macro';
import type { Me } from '@reborn-agent/client/api';
import type { IconName } from '../parts/icon.tsx';

type SettingsName =
  | 'access'
  | 'approvals'
  | 'audit'
  | 'channels'
  | 'chat-apps'
  | 'data'
  | 'general'
  | 'health'
  | 'instructions'
  | 'jobs'
  | 'models'
  | 'notifications'
  | 'ratings'
  | 'shared'
  | 'usage'
  | 'users';

export type Place = {
  readonly to: '/missions' | '/assistants' | '/memory' | '/connectors' | `/settings/${SettingsName}`;
  readonly words: string;
  readonly icon: IconName;
};

/** The pages beside the threads. */
export const places = (): readonly Place[] => [
  { to: '/missions', words: t`Missions`, icon: 'clock' },
  { to: '/assistants', words: t`Assistants`, icon: 'users' },
  { to: '/memory', words: t`Memory`, icon: 'memory' },
  { to: '/connectors', words: t`Connectors`, icon: 'tool' },
];

/** What a person sets for themselves. */
export const ownSettings = ({ role, sharing }: Pick<Me, 'role' | 'sharing'>): readonly Place[] => [
  { to: '/settings/general', words: t`General`, icon: 'filter' },
  { to: '/settings/instructions', words: t`Instructions`, icon: 'edit' },
  { to: '/settings/approvals', words: t`Approvals`, icon: 'shield' },
  { to: '/settings/notifications', words: t`Notifications`, icon: 'bell' },
  { to: '/settings/chat-apps', words: t`Chat apps`, icon: 'chat' },
  { to: '/settings/access', words: t`Access`, icon: 'key' },
  ...(sharing ? [{ to: '/settings/shared', words: t`Shared threads`, icon: 'export' } as const] : []),
  ...(role === 'member' ? [{ to: '/settings/usage', words: t`Usage`, icon: 'chart' } as const] : []),
  { to: '/settings/data', words: t`Your data`, icon: 'archive' },
];

/** What operators set for everyone. */
export const serviceSettings = (): readonly Place[] => [
  { to: '/settings/models', words: t`Models`, icon: 'model' },
  { to: '/settings/users', words: t`Users and roles`, icon: 'users' },
  { to: '/settings/channels', words: t`Channels`, icon: 'chat' },
  { to: '/settings/usage', words: t`Usage and limits`, icon: 'chart' },
  { to: '/settings/ratings', words: t`Ratings`, icon: 'good' },
  { to: '/settings/audit', words: t`Audit`, icon: 'log' },
  { to: '/settings/health', words: t`Health`, icon: 'heart' },
  { to: '/settings/jobs', words: t`Jobs`, icon: 'jobs' },
];

/** Every page of the settings that a person can open. */
export const settingsPlaces = (me: Pick<Me, 'role' | 'sharing'>): readonly Place[] => [
  ...ownSettings(me),
  ...(me.role === 'operator' ? serviceSettings() : []),
];
