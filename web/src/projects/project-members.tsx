import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import type { FullProject, ProjectMember } from '@reborn-agent/client/api';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { client } from '../client/client.ts';
import { Button, IconButton } from '../parts/button.tsx';
import { Confirm } from '../parts/confirm.tsx';
import { EmptyState } from '../parts/empty-state.tsx';
import { ChoiceField, TextField } from '../parts/field.tsx';
import { Form } from '../parts/form.tsx';
import { Icon } from '../parts/icon.tsx';
import { Listed } from '../parts/listed.tsx';
import { Listing } from '../parts/listing.tsx';
import { Problem } from '../parts/problem.tsx';
import { Select } from '../parts/select.tsx';

/** With whom a project is shared, which its owner changes. */
export function ProjectMembers({ project }: { readonly project: FullProject }) {
  return project.role === 'owner' ? <Members id={project.id} /> : <OfOwner project={project} />;
}

function OfOwner({ project: { owner } }: { readonly project: FullProject }) {
  const name = owner.name ?? t`another person`;
  return (
    <EmptyState icon="users" title={t`Shared by ${name}`}>
      {t`Only the owner sees the other members, and shares the project.`}
    </EmptyState>
  );
}

type Role = ProjectMember['role'];

const roles = (): readonly { readonly value: Role; readonly words: string }[] => [
  { value: 'read', words: t`may read` },
  { value: 'write', words: t`may read and write` },
];

function Members({ id }: { readonly id: string }) {
  const { data, error, refetch } = useQuery({
    queryKey: membersOf(id),
    queryFn: () => client.call('GET /api/projects/{id}/members', { params: { id } }),
  });
  return (
    <div className="flex flex-col gap-5">
      <Listed
        rows={data?.members}
        error={error}
        onRetry={() => void refetch()}
        label={t`Loading the members`}
        empty={
          <EmptyState icon="users" title={t`Not shared with anyone`}>
            {t`Members see the instructions, files and notes. Their threads stay their own, as do yours.`}
          </EmptyState>
        }
      >
        {(members) => (
          <Listing label={t`Members`} rows={members} keyOf={({ id: member }) => member}>
            {(member) => <MemberRow id={id} member={member} />}
          </Listing>
        )}
      </Listed>
      <ShareForm id={id} />
    </div>
  );
}

const membersOf = (id: string) => ['project', id, 'members'];

/** Shares the project with a person, or changes their role. */
function useShare(id: string) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (body: { readonly person: string; readonly role: Role }) =>
      client.call('POST /api/projects/{id}/members', { params: { id }, body }),
    onSuccess: (members) => {
      queries.setQueryData(membersOf(id), members);
      return queries.invalidateQueries({ queryKey: ['project', id, 'settings'] });
    },
  });
}

function MemberRow({ id, member }: { readonly id: string; readonly member: ProjectMember }) {
  const queries = useQueryClient();
  const [asking, setAsking] = useState(false);
  const share = useShare(id);
  const remove = useMutation({
    mutationFn: () => client.call('DELETE /api/projects/{id}/members/{member}', { params: { id, member: member.id } }),
    onSuccess: () => queries.invalidateQueries({ queryKey: ['project', id] }),
  });
  const name = member.name ?? member.id;
  const error = share.error ?? remove.error;
  return (
    <>
      <Icon name="users" />
      <span className="min-w-0 flex-1 basis-40 truncate font-medium">{name}</span>
      <span className="flex items-center gap-1 max-md:w-full">
        <Select
          label={t`What ${name} may do`}
          choices={roles()}
          value={member.role}
          onChoose={(role) => share.mutate({ person: member.id, role })}
        />
        <IconButton icon="trash" label={t`Remove ${name}`} onClick={() => setAsking(true)} />
      </span>
      {error && <Problem error={error} />}
      {asking && (
        <Confirm
          title={t`Remove ${name}?`}
          action={t`Remove`}
          onConfirm={() => remove.mutate()}
          onClose={() => setAsking(false)}
        >
          <Trans>Their threads stay theirs, without the instructions, files and notes of this project.</Trans>
        </Confirm>
      )}
    </>
  );
}

function ShareForm({ id }: { readonly id: string }) {
  const [person, setPerson] = useState('');
  const [role, setRole] = useState<Role>('read');
  const share = useShare(id);
  return (
    <Form
      className="flex flex-col gap-3"
      onSubmit={() => share.mutate({ person: person.trim(), role }, { onSuccess: () => setPerson('') })}
    >
      <div className="grid items-start gap-3 sm:grid-cols-2">
        <TextField
          label={t`Share with`}
          required
          maxLength={320}
          value={person}
          onChange={(event) => setPerson(event.target.value)}
          hint={t`The email address or the exact name of a user of this service.`}
        />
        <ChoiceField
          label={t`Role`}
          choices={roles()}
          value={role}
          onChoose={setRole}
          hint={t`Who may write can change instructions, files and notes.`}
        />
      </div>
      {share.error && <Problem error={share.error} />}
      <Button type="submit" look="act" className="self-start" disabled={share.isPending || person.trim() === ''}>
        <Trans>Share</Trans>
      </Button>
    </Form>
  );
}
