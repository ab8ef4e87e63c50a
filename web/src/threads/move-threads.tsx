import { plural, t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { useState } from 'react';
import { Button } from '../parts/button.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { TextField } from '../parts/field.tsx';
import { Icon } from '../parts/icon.tsx';
import { Problem } from '../parts/problem.tsx';
import { useCreateFolder, useFolders } from './use-folders.ts';
import { useManyThreads } from './use-threads.ts';

/** Moves threads into a folder, which may be a new one, or out of all folders. */
export function MoveThreads({
  ids,
  from,
  onClose,
  onMoved,
}: {
  readonly ids: readonly string[];
  /** The folder that all of them are in. */
  readonly from?: string | null;
  readonly onClose: () => void;
  readonly onMoved?: () => void;
}) {
  const { folders, error } = useFolders();
  const [name, setName] = useState('');
  const create = useCreateFolder();
  const many = useManyThreads();
  const problem = error ?? create.error ?? many.error;
  const busy = create.isPending || many.isPending;
  const move = (folderId: string | null) =>
    many.mutate({ ids, change: { folder_id: folderId } }, { onSuccess: onMoved ?? onClose });
  return (
    <Dialog
      title={plural(ids.length, { one: 'Move # thread to a folder', other: 'Move # threads to a folder' })}
      onClose={onClose}
    >
      <div className="flex flex-col gap-4">
        <ul aria-label={t`Folders`} className="flex flex-col gap-1">
          {folders.map((folder) => (
            <li key={folder.id}>
              <Button
                look="quiet"
                className="w-full justify-start! text-ink"
                disabled={busy || folder.id === from}
                onClick={() => move(folder.id)}
              >
                <Icon name="folder" />
                <span className="min-w-0 flex-1 truncate text-start">{folder.name}</span>
                {folder.id === from && <Icon name="check" />}
              </Button>
            </li>
          ))}
          {from !== null && (
            <li>
              <Button look="quiet" className="w-full justify-start!" disabled={busy} onClick={() => move(null)}>
                <Icon name="close" /> <Trans>No folder</Trans>
              </Button>
            </li>
          )}
        </ul>
        <form
          className="flex items-end gap-2"
          onSubmit={(event) => {
            event.preventDefault();
            create.mutate(name, { onSuccess: ({ id }) => move(id) });
          }}
        >
          <div className="min-w-0 flex-1">
            <TextField
              label={t`New folder`}
              required
              maxLength={100}
              value={name}
              onChange={(event) => setName(event.target.value)}
            />
          </div>
          <Button type="submit" disabled={busy || name.trim() === ''}>
            <Trans>Create and move</Trans>
          </Button>
        </form>
        {problem && <Problem error={problem} />}
      </div>
    </Dialog>
  );
}
