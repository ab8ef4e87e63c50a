import { Trans } from '@lingui/react/macro';
import type { ReactNode } from 'react';
import { Button } from './button.tsx';
import { Dialog } from './dialog.tsx';

/** Asks before what can't be undone. */
export function Confirm({
  title,
  action,
  onConfirm,
  onClose,
  children,
}: {
  readonly title: string;
  readonly action: string;
  readonly onConfirm: () => void;
  readonly onClose: () => void;
  readonly children: ReactNode;
}) {
  const confirm = () => {
    onConfirm();
    onClose();
  };
  return (
    <Dialog title={title} onClose={onClose}>
      <div className="mb-4 break-words">{children}</div>
      <div className="flex justify-end gap-2">
        <Button onClick={onClose}>
          <Trans>Cancel</Trans>
        </Button>
        <Button look="danger" onClick={confirm}>
          {action}
        </Button>
      </div>
    </Dialog>
  );
}
