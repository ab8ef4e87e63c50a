import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import type { TokenList } from '@reborn-agent/client/api';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { CopyButton } from '../chat/transcript/row-actions.tsx';
import { client } from '../client/client.ts';
import { Button } from '../parts/button.tsx';
import { TextField } from '../parts/field.tsx';
import { Form } from '../parts/form.tsx';
import { Listing } from '../parts/listing.tsx';
import { Problem } from '../parts/problem.tsx';
import { RelativeTime } from '../parts/relative-time.tsx';

/** The tokens of a user, for programs that act for them. */
export function Tokens({ userId }: { readonly userId: string }) {
  const queries = useQueryClient();
  const [name, setName] = useState('');
  const { data, error } = useQuery({
    queryKey: ['tokens', userId],
    queryFn: () => client.call('GET /api/users/{id}/tokens', { params: { id: userId } }),
  });
  const refresh = () => queries.invalidateQueries({ queryKey: ['tokens', userId] });
  const create = useMutation({
    mutationFn: () => client.call('POST /api/users/{id}/tokens', { params: { id: userId }, body: { name } }),
    onSuccess: () => {
      setName('');
      return refresh();
    },
  });
  return (
    <div className="flex flex-col gap-3">
      {error && <Problem error={error} />}
      {create.error && <Problem error={create.error} />}
      {create.data && (
        <div className="wash bg-waiting-wash">
          <p>
            <Trans>This is the token. It is shown only once.</Trans>
          </p>
          <p className="flex items-center gap-2 break-all font-mono text-meta">
            {create.data.token} <CopyButton text={create.data.token} />
          </p>
        </div>
      )}
      {data && data.tokens.length > 0 && (
        <Listing label={t`Tokens`} rows={data.tokens} keyOf={({ id }) => id}>
          {(token) => <TokenRow token={token} onRevoked={() => void refresh()} />}
        </Listing>
      )}
      <Form className="flex flex-wrap items-end gap-2" onSubmit={() => create.mutate()}>
        <div className="min-w-0 flex-1 basis-48">
          <TextField
            label={t`Name of a new token`}
            value={name}
            required
            onChange={(event) => setName(event.target.value)}
          />
        </div>
        <Button type="submit">
          <Trans>Make a token</Trans>
        </Button>
      </Form>
    </div>
  );
}

type TokenRowProps = { readonly token: TokenList['tokens'][number]; readonly onRevoked: () => void };

function TokenRow({ token, onRevoked }: TokenRowProps) {
  const revoke = useMutation({
    mutationFn: () => client.call('DELETE /api/tokens/{id}', { params: { id: token.id } }),
    onSuccess: onRevoked,
  });
  return (
    <>
      <span className="min-w-0 flex-1 basis-40">
        <span className="block truncate font-medium">{token.name}</span>
        <span className="text-meta text-soft">
          {token.last_used_at ? (
            <>
              <Trans>
                used <RelativeTime time={token.last_used_at} />
              </Trans>
            </>
          ) : (
            t`never used`
          )}
        </span>
      </span>
      <Button look="quiet" disabled={revoke.isPending} onClick={() => revoke.mutate()}>
        <Trans>Revoke</Trans>
      </Button>
    </>
  );
}
