import type { TokenList, User } from '@reborn-agent/client/api';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { CopyButton } from '../chat/transcript/row-actions.tsx';
import { client } from '../client/client.ts';
import { Button } from '../parts/button.tsx';
import { Confirm } from '../parts/confirm.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { TextField } from '../parts/field.tsx';
import { Problem } from '../parts/problem.tsx';
import { RelativeTime } from '../parts/relative-time.tsx';
import { EraseUser } from './erase-user.tsx';
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
      <div className="flex flex-col gap-6">
        <p className="text-soft">
          {user.role}, {user.email ?? 'no email'}, {user.id}
        </p>
        <Tokens user={user} />
        <SpendingLimits user={user} />
        <div className="border-t border-line pt-4">
          {remove.error && <Problem error={remove.error} />}
          <div className="flex flex-wrap gap-2">
            <Button look="danger" icon="trash" onClick={() => setAsking('remove')}>
              Remove the user
            </Button>
            <Button look="danger" icon="trash" onClick={() => setAsking('erase')}>
              Erase the user
            </Button>
          </div>
        </div>
      </div>
      {asking === 'erase' && <EraseUser user={user} onClose={() => setAsking(undefined)} />}
      {asking === 'remove' && (
        <Confirm
          title={`Remove ${user.name}?`}
          action="Remove"
          onConfirm={() => remove.mutate()}
          onClose={() => setAsking(undefined)}
        >
          Their tokens and sessions end at once, and their threads can't be reached any more. Their data stays until it
          is erased.
        </Confirm>
      )}
    </Dialog>
  );
}

function Tokens({ user }: { readonly user: User }) {
  const queries = useQueryClient();
  const [name, setName] = useState('');
  const { data, error } = useQuery({
    queryKey: ['tokens', user.id],
    queryFn: () => client.call('GET /api/users/{id}/tokens', { params: { id: user.id } }),
  });
  const refresh = () => queries.invalidateQueries({ queryKey: ['tokens', user.id] });
  const create = useMutation({
    mutationFn: () => client.call('POST /api/users/{id}/tokens', { params: { id: user.id }, body: { name } }),
    onSuccess: () => {
      setName('');
      return refresh();
    },
  });
  return (
    <section className="flex flex-col gap-3">
      <h3 className="font-semibold">Tokens</h3>
      {error && <Problem error={error} />}
      {create.error && <Problem error={create.error} />}
      {create.data && (
        <div className="rounded border border-line bg-waiting-wash p-3">
          <p>This is the token. It is shown this once.</p>
          <p className="flex items-center gap-2 break-all font-mono text-s">
            {create.data.token} <CopyButton text={create.data.token} />
          </p>
        </div>
      )}
      <ul className="divide-y divide-line">
        {data?.tokens.map((token) => (
          <TokenRow key={token.id} token={token} onRevoked={() => void refresh()} />
        ))}
        {data?.tokens.length === 0 && <li className="text-soft">No tokens yet.</li>}
      </ul>
      <form
        className="flex items-end gap-2"
        onSubmit={(event) => {
          event.preventDefault();
          create.mutate();
        }}
      >
        <div className="flex-1">
          <TextField
            label="Name of a new token"
            value={name}
            required
            onChange={(event) => setName(event.target.value)}
          />
        </div>
        <Button type="submit">Make a token</Button>
      </form>
    </section>
  );
}

type TokenRowProps = { readonly token: TokenList['tokens'][number]; readonly onRevoked: () => void };

function TokenRow({ token, onRevoked }: TokenRowProps) {
  const revoke = useMutation({
    mutationFn: () => client.call('DELETE /api/tokens/{id}', { params: { id: token.id } }),
    onSuccess: onRevoked,
  });
  return (
    <li className="flex items-center gap-3 py-2">
      <span className="min-w-0 flex-1">
        <span className="block truncate">{token.name}</span>
        <span className="text-s text-soft">
          {token.last_used_at ? (
            <>
              used <RelativeTime time={token.last_used_at} />
            </>
          ) : (
            'never used'
          )}
        </span>
      </span>
      <Button look="quiet" disabled={revoke.isPending} onClick={() => revoke.mutate()}>
        Revoke
      </Button>
    </li>
  );
}
