import { Trans } from '@lingui/react/macro';
import { useNow } from '../parts/use-now.ts';

/** The service has refused a message because there were too many. It is sent again by itself. */
export function SentLater({ at }: { readonly at: number }) {
  const seconds = Math.max(1, Math.ceil((at - useNow()) / 1000));
  return (
    <span role="status">
      <Trans>
        <strong className="font-medium">Too many messages at once.</strong> This one is sent in {seconds} s.
      </Trans>
    </span>
  );
}
