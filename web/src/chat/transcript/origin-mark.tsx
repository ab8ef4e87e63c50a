import { Trans } from '@lingui/react/macro';
import { useState } from 'react';
import { Icon } from '../../parts/icon.tsx';
import { useActions } from '../chat-actions.ts';

/** Says that others wrote this item. Calls ask because of it until the person trusts it. */
export function OriginMark({ itemId, isVouched }: { readonly itemId: string; readonly isVouched: boolean }) {
  const { vouch } = useActions();
  const [busy, setBusy] = useState(false);
  if (isVouched)
    return (
      <p className="flex items-center gap-2 text-meta text-soft">
        <Icon name="check" /> <Trans>Text by others, which you have trusted here</Trans>
      </p>
    );
  return (
    <p className="flex flex-wrap items-center gap-x-3 gap-y-1 text-meta text-soft">
      <span className="flex items-center gap-2">
        <Icon name="users" /> <Trans>Text by others</Trans>
      </span>
      <button
        type="button"
        disabled={busy}
        className="min-h-target link hover:text-ink disabled:opacity-50"
        onClick={() => {
          setBusy(true);
          void vouch(itemId).then(() => setBusy(false));
        }}
      >
        <Trans>I have read this: trust it here</Trans>
      </button>
    </p>
  );
}
