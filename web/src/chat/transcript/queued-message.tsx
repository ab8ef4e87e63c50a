import { t } from '@lingui/core/macro';
import type { QueuedTurn } from '@reborn-agent/client/api';
import { isByOthers, textOf } from '@reborn-agent/client/thread-state';
import { IconButton } from '../../parts/button.tsx';
import { useActions } from '../chat-actions.ts';
import { SentFiles } from './sent-files.tsx';
import { Speaker } from './speaker.tsx';
import { SendNow, WaitingState } from './waiting-state.tsx';

type Props = { readonly queued: QueuedTurn; readonly atGate: boolean };

/** A message that waits until the running turn has ended. */
export function QueuedMessage({ queued, atGate }: Props) {
  const { turn_id: turnId, items } = queued;
  const { withdraw } = useActions();
  const parts = items.flatMap((item) => (item.type === 'message' && item.role === 'user' ? item.content : []));
  const text = textOf(parts);
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
          <span className="tools ms-auto">
            <SendNow queued={queued} atGate={atGate} />
            {parts.every((part) => part.type === 'text' && !isByOthers(part)) && (
              <IconButton icon="edit" label={t`Edit the queued message`} onClick={() => void withdraw(turnId, text)} />
            )}
            <IconButton icon="close" label={t`Withdraw the queued message`} onClick={() => void withdraw(turnId)} />
          </span>
        </div>
      </div>
    </section>
  );
}
