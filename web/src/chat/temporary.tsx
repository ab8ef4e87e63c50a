import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Switch } from '../parts/switch.tsx';

/** Whether a new thread is temporary. */
export function TemporarySwitch({
  checked,
  onChange,
}: {
  readonly checked: boolean;
  readonly onChange: (checked: boolean) => void;
}) {
  return (
    <span className="flex items-center gap-2 text-meta text-soft">
      <Switch label={t`Temporary thread`} checked={checked} onChange={onChange} />
      <span aria-hidden>
        <Trans>Temporary</Trans>
      </span>
    </span>
  );
}

/** What a temporary thread is, above its composer. */
export function TemporaryNote() {
  return (
    <p role="status" className="column shrink-0 text-meta text-soft">
      {explanation()}
    </p>
  );
}

export function TemporaryMark() {
  return (
    <span className="shrink-0" title={explanation()}>
      <Trans>Temporary</Trans>
    </span>
  );
}

const explanation = () =>
  t`It reads and writes no memory, is in no search, and is deleted 24 hours after its last message.`;
