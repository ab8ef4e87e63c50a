import { Trans } from '@lingui/react/macro';
import type { TurnInspection } from '@reborn-agent/client/api';
import { formatDuration } from '../format/time.ts';

/** Which message has ended a turn early, and how long it had waited. */
export function SteeredBy({ by }: { readonly by: NonNullable<TurnInspection['steered_by']> }) {
  const waited = formatDuration(by.waited_ms);
  return (
    <p className="text-meta text-soft">
      <Trans>
        It ended early, because this message was to be read first: “{by.message}”. The message had waited {waited}.
      </Trans>
    </p>
  );
}
