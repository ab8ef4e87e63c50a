import { t } from '@lingui/core/macro';
import { type SendKey, useSendKey } from '../chat/composer/send-key.ts';
import { Dialog } from '../parts/dialog.tsx';

const shortcuts = (sendKey: SendKey) =>
  [
    [t`Ctrl K`, t`Go to a page or a thread`],
    [t`Ctrl Shift O`, t`Begin a new thread`],
    [t`Ctrl B`, t`Show or hide threads and pages`],
    [t`Alt .`, t`Show the files of the thread`],
    [t`Alt W`, t`Go to the next thread that waits for you`],
    ['F2', t`Rename the thread`],
    [t`Ctrl / or ?`, t`Show these shortcuts`],
    ['Y, A, N', t`Answer what waits for you: approve, always, deny`],
    [t`Alt Up`, t`Go to what waits for you`],
    [t`Alt Down`, t`Go to the message`],
    [sendKey === 'enter' ? t`Enter` : t`Ctrl Enter`, t`Send the message`],
    [t`Ctrl Shift Enter`, t`Send the message now, and stop the step`],
    [sendKey === 'enter' ? t`Shift Enter` : t`Enter`, t`New line in the message`],
    [t`Up in an empty message`, t`Edit the last message`],
    [t`Tab`, t`Next control`],
    [t`Esc`, t`Close what is open, or stop the answer`],
    [t`Up, Down`, t`Move in a list`],
  ] as const;

function ShortcutList() {
  const sendKey = useSendKey();
  return (
    <dl className="grid grid-cols-[auto_1fr] items-center gap-x-4 gap-y-2">
      {shortcuts(sendKey).map(([keys, words]) => (
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
