import { Dialog as BaseDialog } from '@base-ui/react/dialog';
import { t } from '@lingui/core/macro';
import type { ReactNode } from 'react';
import { IconButton } from './button.tsx';

type Props = {
  readonly title: string;
  readonly onClose: () => void;
  readonly children: ReactNode;
  /** `centre` asks something; `side` shows the details of what is beside it. */
  readonly place?: 'centre' | 'side';
};

const PLACES = {
  centre: 'left-1/2 top-[12vh] w-[min(520px,calc(100vw-32px))] max-h-[76vh] -translate-x-1/2 rounded-xl',
  side: 'slides inset-y-0 end-0 w-[min(576px,100vw)] border-line sm:border-s',
};

export function Dialog({ title, onClose, children, place = 'centre' }: Props) {
  return (
    <BaseDialog.Root open onOpenChange={(open) => !open && onClose()}>
      <BaseDialog.Portal>
        <BaseDialog.Backdrop className="fixed inset-0 z-30 bg-scrim" />
        <BaseDialog.Popup
          className={`fixed z-40 flex flex-col overflow-hidden bg-raised shadow-float outline-none ${PLACES[place]}`}
        >
          <header className="flex items-start gap-3 border-b border-line py-3 ps-4 pe-2">
            <BaseDialog.Title className="min-w-0 flex-1 break-words pt-1 font-semibold">{title}</BaseDialog.Title>
            <IconButton icon="close" label={t`Close`} onClick={onClose} />
          </header>
          <div className="min-h-0 flex-1 overflow-y-auto p-4">{children}</div>
        </BaseDialog.Popup>
      </BaseDialog.Portal>
    </BaseDialog.Root>
  );
}
