import { Trans } from '@lingui/react/macro';
import { Icon } from '../../parts/icon.tsx';

/** Where a turn has ended because a message came that was to be read first. */
export function SteeredLine() {
  return (
    <p className="flex items-center gap-2 pb-4 text-meta text-soft">
      <Icon name="right" /> <Trans>Stopped here to read your next message</Trans>
    </p>
  );
}
