import { Dialog } from '../parts/dialog.tsx';

const SHORTCUTS = [
  ['Ctrl K', 'Go to a page or a thread'],
  ['?', 'Show these shortcuts'],
  ['Enter', 'Send the message'],
  ['Shift Enter', 'New line in the message'],
  ['Tab', 'Next control'],
  ['Esc', 'Close what is open'],
  ['Up, Down', 'Move in a list'],
] as const;

export function ShortcutList() {
  return (
    <dl className="grid grid-cols-[auto_1fr] items-center gap-x-4 gap-y-2">
      {SHORTCUTS.map(([keys, words]) => (
        <div key={keys} className="contents">
          <dt>
            <kbd className="rounded border border-edge bg-sunken px-2 py-0.5 font-mono text-s">{keys}</kbd>
          </dt>
          <dd>{words}</dd>
        </div>
      ))}
    </dl>
  );
}

export function ShortcutsDialog({ onClose }: { readonly onClose: () => void }) {
  return (
    <Dialog title="Keyboard shortcuts" onClose={onClose}>
      <ShortcutList />
    </Dialog>
  );
}
