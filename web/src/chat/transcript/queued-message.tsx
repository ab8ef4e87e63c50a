import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import type { OpenGate, QueuedTurn } from '@reborn-agent/client/api';
import { isByOthers, textOf } from '@reborn-agent/client/message-text';
import { Button, IconButton } from '../../parts/button.tsx';
import { useActions } from '../chat-actions.ts';
import { focusComposer } from '../composer/focus-composer.ts';
import { SentFiles } from './sent-files.tsx';
import { Speaker } from './speaker.tsx';
import { SendNow, WaitingState } from './waiting-state.tsx';

type Props = { readonly queued: QueuedTurn; readonly atGate: boolean; readonly gate: OpenGate | undefined };

/** As long as the service takes a reason. */
const LONGEST_REASON = 2000;

/** A message that waits until the running turn has ended. */
export function QueuedMessage({ queued, atGate, gate }: Props) {
  const { turn_id: turnId, items } = queued;
  const { withdraw, denyWith } = useActions();
  const parts = items.flatMap((item) => (item.type === 'message' && item.role === 'user' ? item.content : []));
  const text = textOf(parts);
  const isOwnText = parts.every((part) => part.type === 'text' && !isByOthers(part));
  return (
    <section aria-label={t`Queued message`} className="pb-4">
      <Speaker name={t`You`} />
      <div className="yours hang waits">
        <p dir="auto" className="whitespace-pre-wrap break-words">
          {text}
        </p>
        <SentFiles parts={parts} />
        <div className="flex flex-wrap items-center gap-x-2 text-meta">
          <WaitingState queued={queued} atGate={atGate} />
          {gate && isOwnText && text.length <= LONGEST_REASON && (
            <Button look="quiet" onClick={() => void denyWith(gate, turnId, text).then(focusComposer)}>
              <Trans>Deny, and use this as the reason</Trans>
            </Button>
          )}
          <span className="tools ms-auto">
            <SendNow queued={queued} atGate={atGate} />
            {isOwnText && (
              <IconButton icon="edit" label={t`Edit the queued message`} onClick={() => void withdraw(turnId, text)} />
            )}
            <IconButton icon="close" label={t`Withdraw the queued message`} onClick={() => void withdraw(turnId)} />
          </span>
        </div>
      </div>
    </section>
  );
}
