import { t } from '@lingui/core/macro';
import type { Thread } from '@reborn-agent/client/api';
import { useState } from 'react';
import { useChangeThread } from './use-threads.ts';

const selectAll = (input: HTMLInputElement | null) => input?.select();

/** A thread's title while it is typed anew. Enter keeps it, Escape does not. */
export function RenameThread({ thread, onDone }: { readonly thread: Thread; readonly onDone: () => void }) {
  const [title, setTitle] = useState(thread.title);
  const change = useChangeThread(thread.id);
  const keep = () => {
    if (title.trim() !== thread.title) change.mutate({ title: title.trim() });
    onDone();
  };
  return (
    <li>
      <input
        ref={selectAll}
        aria-label={t`Title of the thread`}
        className="min-h-8 w-full rounded border border-edge bg-raised px-2 text-m"
        maxLength={300}
        value={title}
        onChange={(event) => setTitle(event.target.value)}
        onBlur={keep}
        onKeyDown={(event) => {
          if (event.key === 'Enter') keep();
          if (event.key === 'Escape') onDone();
        }}
      />
    </li>
  );
}
