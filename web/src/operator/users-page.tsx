import type { User } from '@reborn-agent/client/api';
import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
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
import { useMorePages } from '../parts/use-more-pages.ts';
import { UserDrawer } from './user-drawer.tsx';

/** Users and their tokens. */
export function UsersPage() {
  const [text, setText] = useState('');
  const [opened, setOpened] = useState<User>();
  const [adding, setAdding] = useState(false);
  const query = useInfiniteQuery({
    queryKey: ['users'],
    queryFn: ({ pageParam }) => client.call('GET /api/users', { query: { limit: 100, cursor: pageParam } }),
    initialPageParam: '',
    getNextPageParam: (page) => page.next_cursor,
  });
  const { data, error, refetch } = query;
  const users = data?.pages.flatMap((page) => page.users);
  const shown = users?.filter((user) => `${user.name} ${user.email}`.toLowerCase().includes(text.toLowerCase()));
  useMorePages(text !== '', query);
  return (
    <Page
      title="Users"
      about="Everyone, including operators, sees only their own threads."
      actions={
        <>
          <Filter label="Search the users" value={text} onChange={setText} />
          <Button icon="add" onClick={() => setAdding(true)}>
            Add a user
          </Button>
        </>
      }
    >
      <Listed
        rows={shown}
        error={error}
        onRetry={() => void refetch()}
        label="Loading users"
        empty={
          <EmptyState icon="users" title={text ? 'No users match' : 'No users yet'}>
            {text ? 'Try other words.' : 'Add a user and give them a token, or set up single sign-on.'}
          </EmptyState>
        }
      >
        {(found) => (
          <Rows label="Users" rows={found} keyOf={({ id }) => id} onOpen={setOpened}>
            {(user) => (
              <>
                <span className="min-w-0 flex-1 basis-full sm:basis-48">
                  <span className="block truncate font-medium">{user.name}</span>
                  <span className="block truncate text-s text-soft">{user.email ?? 'no email'}</span>
                </span>
                <span className="text-s text-soft">{user.role}</span>
                <span className="text-s text-soft">
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
    <Dialog title="Add a user" onClose={onClose}>
      <form
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          add.mutate();
        }}
      >
        <TextField
          label="Name"
          required
          maxLength={200}
          value={name}
          onChange={(event) => setName(event.target.value)}
        />
        <TextField
          label="Email"
          type="email"
          value={email}
          onChange={(event) => setEmail(event.target.value)}
          hint="With single sign-on, a person with this email address becomes this user."
        />
        <ChoiceField label="Role" choices={ROLES} value={role} onChoose={setRole} />
        {add.error && <Problem error={add.error} />}
        <Button type="submit" look="act" className="self-start" disabled={add.isPending}>
          Add
        </Button>
      </form>
    </Dialog>
  );
}

const ROLES = [
  { value: 'member', words: 'Member: chats' },
  { value: 'operator', words: 'Operator: also installs tools and manages users' },
] as const;
