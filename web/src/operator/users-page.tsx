import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import type { User } from '@reborn-agent/client/api';
import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query';
import { useDeferredValue, useState } from 'react';
import { client } from '../client/client.ts';
import { Button } from '../parts/button.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { EmptyState } from '../parts/empty-state.tsx';
import { ChoiceField, TextField } from '../parts/field.tsx';
import { Filter } from '../parts/filter.tsx';
import { Listed } from '../parts/listed.tsx';
import { Page } from '../parts/page.tsx';
import { Problem } from '../parts/problem.tsx';
import { RelativeTime } from '../parts/relative-time.tsx';
import { Rows } from '../parts/rows.tsx';
import { ShowMore } from '../parts/show-more.tsx';
import { UserDrawer } from './user-drawer.tsx';

/** Users and their tokens. */
export function UsersPage() {
  const [text, setText] = useState('');
  const [opened, setOpened] = useState<User>();
  const [adding, setAdding] = useState(false);
  const q = useDeferredValue(text.trim());
  const query = useInfiniteQuery({
    queryKey: ['users', q],
    queryFn: ({ pageParam }) => client.call('GET /api/users', { query: { q, limit: 100, cursor: pageParam } }),
    initialPageParam: '',
    getNextPageParam: (page) => page.next_cursor,
    placeholderData: (shown) => shown,
  });
  const { data, error, refetch } = query;
  return (
    <Page
      title={t`Users and roles`}
      about={t`Everyone, including operators, sees only their own threads.`}
      actions={
        <>
          <Filter label={t`Search the users`} value={text} onChange={setText} />
          <Button icon="add" onClick={() => setAdding(true)}>
            <Trans>Add a user</Trans>
          </Button>
        </>
      }
    >
      <Listed
        rows={data?.pages.flatMap((page) => page.users)}
        error={error}
        onRetry={() => void refetch()}
        label={t`Loading users`}
        empty={
          <EmptyState icon="users" title={text ? t`No users match` : t`No users yet`}>
            {text ? t`Try other words.` : t`Add a user and give them a token, or set up single sign-on.`}
          </EmptyState>
        }
      >
        {(found) => (
          <Rows label={t`Users`} rows={found} keyOf={({ id }) => id} onOpen={setOpened}>
            {(user) => (
              <>
                <span className="min-w-0 flex-1 basis-full sm:basis-48">
                  <span className="block truncate font-medium">{user.name}</span>
                  <span className="block truncate text-meta text-soft">{user.email ?? t`no email`}</span>
                </span>
                <span className="text-meta text-soft">{user.role === 'operator' ? t`operator` : t`member`}</span>
                <span className="text-meta text-soft">
                  <RelativeTime time={user.created_at} />
                </span>
              </>
            )}
          </Rows>
        )}
      </Listed>
      <ShowMore pages={query} />
      {opened && <UserDrawer user={opened} onClose={() => setOpened(undefined)} />}
      {adding && <AddUser onClose={() => setAdding(false)} />}
    </Page>
  );
}

function AddUser({ onClose }: { readonly onClose: () => void }) {
  const queries = useQueryClient();
  const [name, setName] = useState('');
  const [email, setEmail] = useState('');
  const [role, setRole] = useState<User['role']>('member');
  const add = useMutation({
    mutationFn: () => client.call('POST /api/users', { body: { name, role, ...(email !== '' && { email }) } }),
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: ['users'] });
      onClose();
    },
  });
  return (
    <Dialog title={t`Add a user`} onClose={onClose}>
      <form
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          add.mutate();
        }}
      >
        <TextField
          label={t`Name`}
          required
          maxLength={200}
          value={name}
          onChange={(event) => setName(event.target.value)}
        />
        <TextField
          label={t`Email`}
          type="email"
          value={email}
          onChange={(event) => setEmail(event.target.value)}
          hint={t`With single sign-on, a person with this email address becomes this user.`}
        />
        <ChoiceField label={t`Role`} choices={roles()} value={role} onChoose={setRole} />
        {add.error && (
          <Problem error={add.error} own={{ already_exists: t`A user has this name or email address already.` }} />
        )}
        <Button type="submit" look="act" className="self-start" disabled={add.isPending}>
          <Trans>Add</Trans>
        </Button>
      </form>
    </Dialog>
  );
}

const roles = () =>
  [
    { value: 'member', words: t`Member: chats` },
    { value: 'operator', words: t`Operator: also installs tools and manages users` },
  ] as const;
