import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useServices } from '../app/services.ts';
import { client } from '../client/client.ts';
import { download, saveFile } from '../client/files.ts';
import { Button } from '../parts/button.tsx';
import { Problem } from '../parts/problem.tsx';
import { Setting, Settings } from '../parts/setting.tsx';
import { EraseDialog } from './erase-dialog.tsx';
import { ImportChats } from './import-chats.tsx';

/** Downloads everything about a person, takes in their chats from elsewhere, or erases them. */
export function YourData() {
  const { me } = useServices();
  const queries = useQueryClient();
  const save = useMutation({ mutationFn: () => download('/api/me/export') });
  const [isErasing, setErasing] = useState(false);
  /** The sign-in page follows, so the certificate can't be shown. */
  async function eraseMe() {
    const erasure = await client.call('POST /api/me/erase');
    saveFile(new Blob([JSON.stringify(erasure, null, 2)], { type: 'application/json' }), 'reborn-erasure.json');
    await queries.invalidateQueries({ queryKey: ['me'] });
    return erasure;
  }
  return (
    <>
      <Settings label={t`Your data`}>
        <Setting name={t`Download my data`} about={t`Everything that is stored about you, as lines of JSON.`}>
          <Button icon="download" disabled={save.isPending} onClick={() => save.mutate()}>
            <Trans>Download</Trans>
          </Button>
        </Setting>
        <ImportChats />
        {me.user_id !== 'operator' && (
          <Setting
            name={t`Delete my account`}
            about={t`With everything in it. Threads, notes and missions can also be deleted where they are listed.`}
          >
            <Button look="danger" icon="trash" onClick={() => setErasing(true)}>
              <Trans>Delete my account</Trans>
            </Button>
          </Setting>
        )}
      </Settings>
      {save.error && <Problem error={save.error} />}
      {isErasing && (
        <EraseDialog
          name={me.name}
          title={t`Delete your account?`}
          warning={
            <Trans>
              This deletes your threads, memory, secrets, missions, tokens and everything else, permanently. Download
              your data first if you want to keep any of it. A certificate of what was deleted is saved as a file.
            </Trans>
          }
          onErase={eraseMe}
          onClose={() => setErasing(false)}
        />
      )}
    </>
  );
}
