import { t } from '@lingui/core/macro';
import { Dialog } from '../parts/dialog.tsx';

const shortcuts = () =>
  [
    [t`Ctrl K`, t`Go to a page or a thread`],
    [t`Ctrl B`, t`Show or hide threads and pages`],
    [t`Alt .`, t`Show the files of the thread`],
    ['?', t`Show these shortcuts`],
    [t`Enter`, t`Send the message`],
    [t`Ctrl Shift Enter`, t`Send the message now, and stop the step`],
    [t`Shift Enter`, t`New line in the message`],
    [t`Tab`, t`Next control`],
    [t`Esc`, t`Close what is open`],
    [t`Up, Down`, t`Move in a list`],
  ] as const;

export function ShortcutList() {
  return (
    <dl className="grid grid-cols-[auto_1fr] items-center gap-x-4 gap-y-2">
      {shortcuts().map(([keys, words]) => (
        <div key={keys} className="contents">
          <dt>
            <kbd className="rounded-sm border border-rule px-1 font-sans text-key font-medium text-soft">{keys}</kbd>
          </dt>
          <dd>{words}</dd>
        </div>
      ))}
    </dl>
  );
}

export function ShortcutsDialog({ onClose }: { readonly onClose: () => void }) {
  return (
    <Dialog title={t`Keyboard shortcuts`} onClose={onClose}>
      <ShortcutList />
    </Dialog>
  );
}
