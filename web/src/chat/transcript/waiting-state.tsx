import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import type { QueuedTurn } from '@reborn-agent/client/api';
import { IconButton } from '../../parts/button.tsx';
import { useActions } from '../chat-actions.ts';

type Props = { readonly queued: QueuedTurn; readonly atGate: boolean };

/** What a message waits for. */
export function WaitingState({ queued: { placed }, atGate }: Props) {
  if (atGate) return <Trans>Read after you answer</Trans>;
  if (placed.type === 'steering') return <Trans>Read after this step</Trans>;
  return placed.type === 'queued' && placed.ahead > 1 ? <Trans>In line</Trans> : <Trans>Next in line</Trans>;
}

/** Stops the running step, so that the message is read now. */
export function SendNow({ queued: { turn_id: turnId, placed }, atGate }: Props) {
  const { sendNow } = useActions();
  if (atGate || placed.type === 'waits') return null;
  return <IconButton icon="send" label={t`Send now, and stop the step`} onClick={() => void sendNow(turnId)} />;
}
