import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import type { Erasure } from '@reborn-agent/client/api';
import { useMutation } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { CopyButton } from '../chat/transcript/row-actions.tsx';
import { Button } from '../parts/button.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { TextField } from '../parts/field.tsx';
import { Form } from '../parts/form.tsx';
import { Problem } from '../parts/problem.tsx';

type Props = {
  readonly name: string;
  readonly title: string;
  readonly warning: ReactNode;
  readonly onErase: () => Promise<Erasure>;
  readonly onClose: () => void;
};

/** Erases a person after their name was typed, and shows the certificate. */
export function EraseDialog({ name, title, warning, onErase, onClose }: Props) {
  const [typed, setTyped] = useState('');
  const erase = useMutation({ mutationFn: onErase });
  if (erase.data) return <Certificate name={name} erasure={erase.data} onClose={onClose} />;
  return (
    <Dialog title={title} onClose={onClose}>
      <Form onSubmit={() => erase.mutate()}>
        <p className="break-words">{warning}</p>
        <TextField
          label={t`Type ${name} to confirm`}
          value={typed}
          autoComplete="off"
          onChange={(event) => setTyped(event.target.value)}
        />
        {erase.error && <Problem error={erase.error} />}
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>
            <Trans>Cancel</Trans>
          </Button>
          <Button type="submit" look="danger" disabled={typed.trim() !== name.trim() || erase.isPending}>
            {erase.isPending ? t`Erasing…` : t`Erase everything`}
          </Button>
        </div>
      </Form>
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
        <p className="flex items-center gap-2 text-meta text-soft">
          <span className="min-w-0 break-all">
            <Trans>Certificate {certificate.digest.slice(0, 16)}…</Trans>
          </span>
          <CopyButton text={JSON.stringify(certificate, null, 2)} />
        </p>
      </div>
    </Dialog>
  );
}
