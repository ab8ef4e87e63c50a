import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import type { User } from '@reborn-agent/client/api';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { client } from '../client/client.ts';
import { Button } from '../parts/button.tsx';
import { Confirm } from '../parts/confirm.tsx';
import { Problem } from '../parts/problem.tsx';
import { Setting, Settings } from '../parts/setting.tsx';
import { EraseDialog } from '../settings/erase-dialog.tsx';

/** Two ends: one keeps the data, the other does not. */
export function UserEnd({ user, onGone }: { readonly user: User; readonly onGone: () => void }) {
  const queries = useQueryClient();
  const [asking, setAsking] = useState<'remove' | 'erase'>();
  const remove = useMutation({
    mutationFn: () => client.call('DELETE /api/users/{id}', { params: { id: user.id } }),
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: ['users'] });
      onGone();
    },
  });
  return (
    <>
      {remove.error && <Problem error={remove.error} />}
      <Settings label={t`Remove or erase`}>
        <Setting name={t`Remove`} about={t`They can no longer sign in. Their data stays.`}>
          <Button look="danger" icon="close" onClick={() => setAsking('remove')}>
            <Trans>Remove the user</Trans>
          </Button>
        </Setting>
        <Setting name={t`Erase`} about={t`Their data is deleted for good, and you get a certificate.`}>
          <Button look="danger" icon="trash" onClick={() => setAsking('erase')}>
            <Trans>Erase the user</Trans>
          </Button>
        </Setting>
      </Settings>
      {asking === 'erase' && (
        <EraseDialog
          name={user.name}
          title={t`Erase ${user.name}?`}
          warning={
            <Trans>
              This deletes their threads, memory, secrets, missions, tokens and everything else, permanently. Backups
              that were made before still contain it.
            </Trans>
          }
          onErase={async () => {
            const erasure = await client.call('POST /api/users/{id}/erase', { params: { id: user.id } });
            await queries.invalidateQueries({ queryKey: ['users'] });
            return erasure;
          }}
          onClose={() => setAsking(undefined)}
        />
      )}
      {asking === 'remove' && (
        <Confirm
          title={t`Remove ${user.name}?`}
          action={t`Remove`}
          onConfirm={() => remove.mutate()}
          onClose={() => setAsking(undefined)}
        >
          <Trans>
            Their tokens and sessions end at once, and their threads can't be reached any more. Their data stays until
            it is erased.
          </Trans>
        </Confirm>
      )}
    </>
  );
}
