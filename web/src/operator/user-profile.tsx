import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import type { User } from '@reborn-agent/client/api';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { client } from '../client/client.ts';
import { Button } from '../parts/button.tsx';
import { ChoiceField, TextField } from '../parts/field.tsx';
import { Form } from '../parts/form.tsx';
import { Problem } from '../parts/problem.tsx';

/** The name and the role of a user. */
export function UserProfile({ user }: { readonly user: User }) {
  const queries = useQueryClient();
  const [name, setName] = useState(user.name);
  const [role, setRole] = useState(user.role);
  const change = useMutation({
    mutationFn: () => client.call('PATCH /api/users/{id}', { params: { id: user.id }, body: { name, role } }),
    onSuccess: () =>
      Promise.all([
        queries.invalidateQueries({ queryKey: ['users'] }),
        queries.invalidateQueries({ queryKey: ['me'] }), // operators can change themselves
      ]),
  });
  return (
    <Form className="flex flex-col gap-3" onSubmit={() => change.mutate()}>
      <TextField
        label={t`Name`}
        required
        maxLength={200}
        value={name}
        onChange={(event) => setName(event.target.value)}
      />
      <ChoiceField
        label={t`Role`}
        choices={roles()}
        value={role}
        onChoose={setRole}
        hint={t`A new role applies at once, also where they are signed in.`}
      />
      {change.error && (
        <Problem error={change.error} own={{ already_exists: t`Another user has this name already.` }} />
      )}
      <div className="flex items-center gap-3">
        <Button type="submit" disabled={change.isPending}>
          <Trans>Save name and role</Trans>
        </Button>
        <span role="status" className="text-meta text-soft">
          {change.isSuccess && t`Saved`}
        </span>
      </div>
    </Form>
  );
}

export const roles = () =>
  [
    { value: 'member', words: t`Member: chats` },
    { value: 'operator', words: t`Operator: also installs tools and manages users` },
  ] as const;
