import { plural, t } from '@lingui/core/macro';
import type { ListedChannel } from '@reborn-agent/client/api';

export const PLATFORMS: Readonly<Record<ListedChannel['channel'], () => string>> = {
  telegram: () => t`Telegram`,
  slack: () => t`Slack`,
  mail: () => t`Mail`,
};

/** How messages arrive. The modes have another name on each platform. */
export function describeMode({ channel, mode }: Pick<ListedChannel, 'channel' | 'mode'>): string {
  if (mode === 'webhook') return t`by webhook`;
  if (channel === 'mail') return t`by IMAP`;
  return channel === 'slack' ? t`by Socket Mode` : t`by polling`;
}

/** What did not lead to an answer, or not yet. Empty if there is nothing. */
export function describeCounts({ waiting, failed, refused }: ListedChannel): string {
  return [
    waiting > 0 && plural(waiting, { one: '# message waits', other: '# messages wait' }),
    failed > 0 && plural(failed, { one: '# message failed', other: '# messages failed' }),
    refused > 0 && plural(refused, { one: '# message refused', other: '# messages refused' }),
  ]
    .filter((words) => words !== false)
    .join(', ');
}
