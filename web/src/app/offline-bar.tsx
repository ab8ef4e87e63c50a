import { plural } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { countUnsent } from '../chat/composer/unsent.ts';
import { useNow } from '../parts/use-now.ts';

const LOOK_MS = 1000;

/** Says that there is no connection, and how many messages wait for it. */
export function OfflineBar() {
  useNow(LOOK_MS);
  const count = countUnsent(localStorage);
  return (
    <p role="status" className="flex shrink-0 flex-wrap justify-center gap-x-4 bg-ink px-4 py-1 text-meta text-paper">
      <Trans>Offline. Messages wait and are sent later.</Trans>
      {count > 0 && <strong>{plural(count, { one: '# waits', other: '# wait' })}</strong>}
    </p>
  );
}
