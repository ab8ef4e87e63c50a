import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import type { Erasure, User } from '@reborn-agent/client/api';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { CopyButton } from '../chat/transcript/row-actions.tsx';
import { client } from '../client/client.ts';
import { Button } from '../parts/button.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { TextField } from '../parts/field.tsx';
import { Problem } from '../parts/problem.tsx';

/** Erases a user after their name was typed, and shows the certificate. */
export function EraseUser({ user, onClose }: { readonly user: User; readonly onClose: () => void }) {
  const queries = useQueryClient();
  const [typed, setTyped] = useState('');
  const erase = useMutation({
    mutationFn: () => client.call('POST /api/users/{id}/erase', { params: { id: user.id } }),
    onSuccess: () => queries.invalidateQueries({ queryKey: ['users'] }),
  });
  if (erase.data) return <Certificate name={user.name} erasure={erase.data} onClose={onClose} />;
  return (
    <Dialog title={t`Erase ${user.name}?`} onClose={onClose}>
      <form
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          erase.mutate();
        }}
      >
        <p className="break-words">
          <Trans>
            This deletes their threads, memory, secrets, missions, tokens and everything else, permanently. Backups that
            were made before still contain it.
          </Trans>
        </p>
        <TextField
          label={t`Type ${user.name} to confirm`}
          value={typed}
          autoComplete="off"
          onChange={(event) => setTyped(event.target.value)}
        />
        {erase.error && <Problem error={erase.error} />}
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>
            <Trans>Cancel</Trans>
          </Button>
          <Button type="submit" look="danger" disabled={typed.trim() !== user.name.trim() || erase.isPending}>
            {erase.isPending ? t`Erasing…` : t`Erase everything`}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

type CertificateProps = { readonly name: string; readonly erasure: Erasure; readonly onClose: () => void };

function Certificate({ name, erasure: { certificate }, onClose }: CertificateProps) {
  if (!certificate)
    return (
      <Dialog title={t`${name} is being erased`} onClose={onClose}>
        <p>
          <Trans>
            The user has no access any more. The service deletes the rest in the background, also after a restart.
          </Trans>
        </p>
      </Dialog>
    );
  const counts = Object.entries(certificate.deleted).toSorted(([, a], [, b]) => b - a);
  return (
    <Dialog title={t`${name} was erased`} onClose={onClose}>
      <div className="flex flex-col gap-3">
        <ul className="max-h-64 overflow-y-auto">
          {counts.map(([table, rows]) => (
            <li key={table} className="flex justify-between gap-4">
              <span>{table.replaceAll('_', ' ')}</span>
              <span className="tabular-nums">{rows}</span>
            </li>
          ))}
        </ul>
        <p className="flex items-center gap-2 text-s text-soft">
          <span className="min-w-0 break-all">
            <Trans>Certificate {certificate.digest.slice(0, 16)}…</Trans>
          </span>
          <CopyButton text={JSON.stringify(certificate, null, 2)} />
        </p>
      </div>
    </Dialog>
  );
}
