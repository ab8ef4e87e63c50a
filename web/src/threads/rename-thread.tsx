import { t } from '@lingui/core/macro';
import type { Thread } from '@reborn-agent/client/api';
import { NameInput } from './name-input.tsx';
import { useChangeThread } from './use-threads.ts';

/** A thread's title while it is edited. */
export function RenameThread({ thread, onDone }: { readonly thread: Thread; readonly onDone: () => void }) {
  const change = useChangeThread(thread.id);
  return (
    <li>
      <NameInput
        label={t`Title of the thread`}
        name={thread.title}
        maxLength={300}
        onKeep={(title) => change.mutate({ title })}
        onDone={onDone}
      />
    </li>
  );
}
