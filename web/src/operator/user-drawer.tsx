import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import type { User } from '@reborn-agent/client/api';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { client } from '../client/client.ts';
import { Button } from '../parts/button.tsx';
import { Confirm } from '../parts/confirm.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { Problem } from '../parts/problem.tsx';
import { EraseDialog } from '../settings/erase-dialog.tsx';
import { Pairings } from '../settings/pairings.tsx';
import { Tokens } from '../settings/tokens.tsx';
import { SpendingLimits } from './spending-limits.tsx';

export function UserDrawer({ user, onClose }: { readonly user: User; readonly onClose: () => void }) {
  const queries = useQueryClient();
  const [asking, setAsking] = useState<'remove' | 'erase'>();
  const remove = useMutation({
    mutationFn: () => client.call('DELETE /api/users/{id}', { params: { id: user.id } }),
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: ['users'] });
      onClose();
    },
  });
  return (
    <Dialog title={user.name} place="side" onClose={onClose}>
      <div className="flex flex-col gap-7">
        <p className="text-soft">
          {user.role === 'operator' ? t`operator` : t`member`}, {user.email ?? t`no email`},{' '}
          <span className="exact">{user.id}</span>
        </p>
        <Tokens userId={user.id} />
        <Pairings userId={user.id} />
        <SpendingLimits user={user} />
        <div className="border-t border-line pt-4">
          {remove.error && <Problem error={remove.error} />}
          <div className="flex flex-wrap gap-2">
            <Button look="danger" icon="trash" onClick={() => setAsking('remove')}>
              <Trans>Remove the user</Trans>
            </Button>
            <Button look="danger" icon="trash" onClick={() => setAsking('erase')}>
              <Trans>Erase the user</Trans>
            </Button>
          </div>
        </div>
      </div>
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
    </Dialog>
  );
}
