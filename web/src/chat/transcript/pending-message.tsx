import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { useConnection } from '../../app/services.ts';
import { Speaker } from './speaker.tsx';

/** A sent message, until the service reports it. */
export function PendingMessage({ text }: { readonly text: string }) {
  const { state } = useConnection();
  return (
    <div className="pb-4">
      <Speaker name={t`You`} />
      <div className="yours hang waits">
        <p dir="auto" className="whitespace-pre-wrap break-words">
          {text}
        </p>
        <p className="text-meta">
          {state === 'live' ? <Trans>Sending</Trans> : <Trans>Waits for the connection</Trans>}
        </p>
      </div>
    </div>
  );
}
