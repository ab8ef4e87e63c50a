import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useServices } from '../app/services.ts';
import { client } from '../client/client.ts';
import { download, saveFile } from '../client/files.ts';
import { Button } from '../parts/button.tsx';
import { Problem } from '../parts/problem.tsx';
import { EraseDialog } from './erase-dialog.tsx';

/** Downloads everything about a person, or erases them. */
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
      <p>
        <Trans>Everything that is stored about you, as lines of JSON.</Trans>
      </p>
      {save.error && <Problem error={save.error} />}
      <Button icon="export" className="self-start" disabled={save.isPending} onClick={() => save.mutate()}>
        <Trans>Download my data</Trans>
      </Button>
      {me.user_id !== 'operator' && (
        <>
          <p>
            <Trans>
              Threads, notes and missions are deleted where they are listed. You can also delete your account with
              everything in it.
            </Trans>
          </p>
          <Button look="danger" icon="trash" className="self-start" onClick={() => setErasing(true)}>
            <Trans>Delete my account</Trans>
          </Button>
        </>
      )}
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
