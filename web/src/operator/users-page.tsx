import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import type { User } from '@reborn-agent/client/api';
import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useLocation, useNavigate } from '@tanstack/react-router';
import { useDeferredValue, useState } from 'react';
import { useLimitRequests } from '../app/use-limit-requests.ts';
import { client } from '../client/client.ts';
import { Button } from '../parts/button.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { EmptyState } from '../parts/empty-state.tsx';
import { ChoiceField, TextField } from '../parts/field.tsx';
import { Filter } from '../parts/filter.tsx';
import { Form } from '../parts/form.tsx';
import { Listed } from '../parts/listed.tsx';
import { Page } from '../parts/page.tsx';
import { Problem } from '../parts/problem.tsx';
import { RelativeTime } from '../parts/relative-time.tsx';
import { Rows } from '../parts/rows.tsx';
import { ShowMore } from '../parts/show-more.tsx';
import { Invitations, InviteDialog } from './invitations.tsx';
import { OPERATOR_ID, OperatorDrawer, UserDrawer } from './user-drawer.tsx';
import { roles } from './user-profile.tsx';

type Row = Pick<User, 'id' | 'name' | 'email' | 'role'>;

const hasAccount = (row: User | Row): row is User => 'limits' in row;

/** All people who can use the service, and invitations for others. */
export function UsersPage() {
  const [text, setText] = useState('');
  const [opened, setOpened] = useState<User | Row>();
  const [adding, setAdding] = useState<'invite' | 'add'>();
  const q = useDeferredValue(text.trim());
  const query = useInfiniteQuery({
    queryKey: ['users', q],
    queryFn: ({ pageParam }) => client.call('GET /api/users', { query: { q, limit: 100, cursor: pageParam } }),
    initialPageParam: '',
    getNextPageParam: (page) => page.next_cursor,
    placeholderData: (shown) => shown,
  });
  const { data, error, refetch } = query;
  const users = data?.pages.flatMap((page) => page.users);
  const asking = new Set(useLimitRequests().map(({ user_id: id }) => id));
  const linked = useLinkedUser();
  const shown = opened ?? linked.user;
  const close = () => {
    setOpened(undefined);
    linked.leave();
  };
  return (
    <Page
      title={t`Users and roles`}
      about={t`Everyone, including operators, sees only their own threads.`}
      actions={
        <>
          <Filter label={t`Search the users`} value={text} onChange={setText} />
          <Button onClick={() => setAdding('add')}>
            <Trans>Add a user</Trans>
          </Button>
          <Button icon="add" look="act" onClick={() => setAdding('invite')}>
            <Trans>Invite</Trans>
          </Button>
        </>
      }
    >
      <Listed
        rows={users && withOperator(users, q)}
        error={error}
        onRetry={() => void refetch()}
        label={t`Loading users`}
        empty={
          <EmptyState icon="users" title={t`No users match`}>
            <Trans>Try other words.</Trans>
          </EmptyState>
        }
      >
        {(found) => (
          <Rows label={t`Users`} rows={found} keyOf={({ id }) => id} onOpen={setOpened}>
            {(row) => (
              <>
                <span className="min-w-0 flex-1 basis-full sm:basis-48">
                  <span className="block truncate font-medium">{row.name}</span>
                  <span className="block truncate text-meta text-soft">
                    {row.id === OPERATOR_ID ? t`the token of the service` : (row.email ?? t`no email`)}
                  </span>
                </span>
                {asking.has(row.id) && (
                  <span className="badge bg-waiting-wash text-waiting">
                    <Trans>Asks for a higher limit</Trans>
                  </span>
                )}
                <span className="text-meta text-soft">{row.role === 'operator' ? t`operator` : t`member`}</span>
                {'created_at' in row && (
                  <span className="text-meta text-soft">
                    <RelativeTime time={row.created_at} />
                  </span>
                )}
              </>
            )}
          </Rows>
        )}
      </Listed>
      <ShowMore pages={query} />
      <Invitations />
      {shown && hasAccount(shown) && (
        // as the list has it now; a user who was erased is gone from there, and their certificate stays
        <UserDrawer user={users?.find(({ id }) => id === shown.id) ?? shown} onClose={close} />
      )}
      {shown?.id === OPERATOR_ID && <OperatorDrawer onClose={close} />}
      {adding === 'invite' && <InviteDialog onClose={() => setAdding(undefined)} />}
      {adding === 'add' && <AddUser onClose={() => setAdding(undefined)} />}
    </Page>
  );
}

/** The user that the address names, and the way back to all. */
function useLinkedUser(): { readonly user: User | undefined; readonly leave: () => void } {
  const id = useLocation({ select: ({ hash }) => hash });
  const navigate = useNavigate();
  const { data } = useQuery({
    queryKey: ['users', 'linked', id],
    queryFn: () => client.call('GET /api/users', { query: { q: id, limit: 1 } }),
    enabled: id !== '',
  });
  return {
    user: id === '' ? undefined : data?.users[0],
    leave: () => void (id !== '' && navigate({ to: '/settings/users', replace: true })),
  };
}

/** The operator of the service's token has no account, but is a person. */
function withOperator(users: readonly User[], searched: string): readonly (User | Row)[] {
  const operator: Row = { id: OPERATOR_ID, name: t`Operator`, email: null, role: 'operator' };
  return operator.name.toLowerCase().includes(searched.toLowerCase()) ? [operator, ...users] : users;
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
      <Form onSubmit={() => add.mutate()}>
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
      </Form>
    </Dialog>
  );
}
