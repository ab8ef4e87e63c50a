import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Speaker } from './speaker.tsx';

/** A sent message, until the service reports it. */
export function PendingMessage({ text }: { readonly text: string }) {
  return (
    <div className="pb-5 opacity-60">
      <Speaker name={t`You`} />
      <p dir="auto" className="whitespace-pre-wrap break-words text-l">
        {text}
      </p>
      <p className="text-s text-soft">
        <Trans>Sending</Trans>
      </p>
    </div>
  );
}
