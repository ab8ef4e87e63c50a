import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import type { User } from '@reborn-agent/client/api';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { CopyButton } from '../chat/transcript/row-actions.tsx';
import { client } from '../client/client.ts';
import { formatExact } from '../format/time.ts';
import { Button } from '../parts/button.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { ChoiceField, TextField } from '../parts/field.tsx';
import { Form } from '../parts/form.tsx';
import { Listing } from '../parts/listing.tsx';
import { Problem } from '../parts/problem.tsx';
import { Section } from '../parts/section.tsx';
import { roles } from './user-profile.tsx';

const KEY = ['invitations'];

/** The invitations that no one has used yet. Without any, nothing is shown. */
export function Invitations() {
  const queries = useQueryClient();
  const { data, error } = useQuery({ queryKey: KEY, queryFn: () => client.call('GET /api/invitations') });
  const revoke = useMutation({
    mutationFn: (id: string) => client.call('DELETE /api/invitations/{id}', { params: { id } }),
    onSettled: () => queries.invalidateQueries({ queryKey: KEY }),
  });
  const problem = error ?? revoke.error;
  const open = data?.invitations ?? [];
  if (!problem && open.length === 0) return null;
  return (
    <Section title={t`Open invitations`}>
      {problem && <Problem error={problem} />}
      <Listing label={t`Open invitations`} rows={open} keyOf={({ id }) => id}>
        {({ id, name, role, expires_at: end }) => (
          <>
            <span className="min-w-0 flex-1 basis-48">
              <span className="block truncate font-medium">{name ?? t`An invitation`}</span>
              <span className="text-meta text-soft">
                {role === 'operator'
                  ? t`As operator, valid until ${formatExact(end)}`
                  : t`As member, valid until ${formatExact(end)}`}
              </span>
            </span>
            <Button look="quiet" disabled={revoke.isPending} onClick={() => revoke.mutate(id)}>
              <Trans>Take back</Trans>
            </Button>
          </>
        )}
      </Listing>
    </Section>
  );
}

/** Makes the link of an invitation, and shows it once. */
export function InviteDialog({ onClose }: { readonly onClose: () => void }) {
  const queries = useQueryClient();
  const [name, setName] = useState('');
  const [role, setRole] = useState<User['role']>('member');
  const invite = useMutation({
    mutationFn: () => client.call('POST /api/invitations', { body: { role, name: name.trim() || null } }),
    onSuccess: () => queries.invalidateQueries({ queryKey: KEY }),
  });
  if (invite.data)
    return (
      <Dialog title={t`Invite somebody`} onClose={onClose}>
        <div className="flex flex-col gap-4">
          <div className="wash bg-waiting-wash">
            <p>
              <Trans>This is the link. It is shown only once.</Trans>
            </p>
            <p className="flex items-center gap-2 break-all font-mono text-meta">
              {invite.data.url} <CopyButton text={invite.data.url} />
            </p>
          </div>
          <p className="text-soft">
            <Trans>Whoever opens it first becomes the user. Send it to that person alone. It works for 7 days.</Trans>
          </p>
          <Button className="self-start" onClick={onClose}>
            <Trans>Done</Trans>
          </Button>
        </div>
      </Dialog>
    );
  return (
    <Dialog title={t`Invite somebody`} onClose={onClose}>
      <Form onSubmit={() => invite.mutate()}>
        <ChoiceField label={t`Role`} choices={roles()} value={role} onChoose={setRole} />
        <TextField
          label={t`For whom`}
          maxLength={200}
          value={name}
          onChange={(event) => setName(event.target.value)}
          hint={t`Optional. Only operators see it, until the person has chosen a name.`}
        />
        {invite.error && <Problem error={invite.error} />}
        <Button type="submit" look="act" className="self-start" disabled={invite.isPending}>
          <Trans>Make the link</Trans>
        </Button>
      </Form>
    </Dialog>
  );
}
