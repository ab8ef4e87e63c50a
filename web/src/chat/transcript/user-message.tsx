import type { MessageEntry } from '@reborn-agent/client/thread-state';
import { useState } from 'react';
import { Button, IconButton } from '../../parts/button.tsx';
import { useActions } from '../chat-actions.ts';
import { CopyButton, RowActions } from './row-actions.tsx';
import { SentFiles } from './sent-files.tsx';
import { Speaker } from './speaker.tsx';

export function UserMessage({ entry }: { readonly entry: MessageEntry }) {
  const [editing, setEditing] = useState(false);
  const { resend } = useActions();
  return (
    <div className="group pb-5">
      <Speaker name="You">
        <RowActions>
          <CopyButton text={entry.text} />
          <IconButton icon="edit" label="Edit and send as a new thread" onClick={() => setEditing(true)} />
          <IconButton icon="retry" label="Ask again in a new thread" onClick={() => void resend(entry, entry.text)} />
        </RowActions>
      </Speaker>
      {editing ? (
        <EditMessage entry={entry} onDone={() => setEditing(false)} />
      ) : (
        <p className="whitespace-pre-wrap break-words text-l">{entry.text}</p>
      )}
      <SentFiles parts={entry.parts} />
    </div>
  );
}

function focusAtEnd(area: HTMLTextAreaElement | null): void {
  area?.focus();
  area?.setSelectionRange(area.value.length, area.value.length);
}

/** The thread stays as it is: what is sent goes into a new one, with all that came before. */
function EditMessage({ entry, onDone }: { readonly entry: MessageEntry; readonly onDone: () => void }) {
  const [text, setText] = useState(entry.text);
  const { resend } = useActions();
  const send = () => void resend(entry, text).then(onDone);
  return (
    <div className="flex flex-col gap-2">
      <textarea
        ref={focusAtEnd}
        aria-label="Edit the message"
        className="field-sizing-content max-h-60 w-full resize-none rounded border border-edge bg-raised p-3 text-l"
        value={text}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={(event) => event.key === 'Escape' && onDone()}
      />
      <div className="flex flex-wrap items-center gap-2">
        <Button look="act" disabled={text.trim() === ''} onClick={send}>
          Send as a new thread
        </Button>
        <Button look="quiet" onClick={onDone}>
          Cancel
        </Button>
      </div>
    </div>
  );
}
