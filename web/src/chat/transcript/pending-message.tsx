import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Speaker } from './speaker.tsx';

/** A sent message, until the service reports it. */
export function PendingMessage({ text }: { readonly text: string }) {
  return (
    <div className="pb-4">
      <Speaker name={t`You`} />
      <div className="yours hang waits">
        <p dir="auto" className="whitespace-pre-wrap break-words">
          {text}
        </p>
        <p className="text-meta">
          <Trans>Sending</Trans>
        </p>
      </div>
    </div>
  );
}
