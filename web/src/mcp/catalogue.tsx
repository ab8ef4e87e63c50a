import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import type { McpServer } from '@reborn-agent/client/api';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useServices } from '../app/services.ts';
import { client } from '../client/client.ts';
import { Button } from '../parts/button.tsx';
import { ChoiceField } from '../parts/field.tsx';
import { Filter } from '../parts/filter.tsx';
import { Problem } from '../parts/problem.tsx';
import { StatusMark } from '../parts/status-mark.tsx';
import { type Holder, holders } from './add-mcp-server.tsx';
import { type KnownServer, KnownServerForm } from './known-server-form.tsx';
import { useSignIn } from './mcp-sign-in.tsx';
import { keyOf, useAddServer } from './use-add-server.ts';

type Props = { readonly added: readonly string[]; readonly onAdded: (server: McpServer) => void };

/** Well-known servers, which need no address. `added` has the addresses of those that are there already. */
export function Catalogue({ added, onAdded }: Props) {
  const { me } = useServices();
  const [words, setWords] = useState('');
  const [holder, setHolder] = useState<Holder>('me');
  const { data } = useQuery({ queryKey: ['mcp-catalogue'], queryFn: () => client.call('GET /api/mcp-catalogue') });
  const found = data?.servers.filter(({ name, url }) => `${name} ${url}`.toLowerCase().includes(words.toLowerCase()));
  return (
    <section aria-label={t`Well-known servers`} className="flex flex-col gap-4">
      <div className="flex flex-wrap items-end gap-3">
        <div className="min-w-0 flex-1 basis-64">
          <h2 className="font-semibold">
            <Trans>Well-known servers</Trans>
          </h2>
          <p className="max-w-[62ch] text-soft">
            <Trans>
              They need no address. “Not checked” means that no one has tried the entry with this version of Reborn.
            </Trans>
          </p>
        </div>
        {me.role === 'operator' && (
          <ChoiceField label={t`Whose agent uses it`} choices={holders()} value={holder} onChoose={setHolder} />
        )}
        <Filter label={t`Search well-known servers`} value={words} onChange={setWords} />
      </div>
      {found?.length === 0 && (
        <p className="text-soft">
          <Trans>No server of the list has this name. Add it by its address.</Trans>
        </p>
      )}
      <ul className="grid gap-3 sm:grid-cols-2">
        {found?.map((server) => (
          <KnownServerCard
            key={server.id}
            server={server}
            holder={holder}
            isAdded={added.includes(server.url)}
            onAdded={onAdded}
          />
        ))}
      </ul>
    </section>
  );
}

type CardProps = Pick<Props, 'onAdded'> & {
  readonly server: KnownServer;
  readonly holder: Holder;
  readonly isAdded: boolean;
};

function KnownServerCard({ server, holder, isAdded, onAdded }: CardProps) {
  const [asking, setAsking] = useState(false);
  const signIn = useSignIn();
  const add = useAddServer((made) => {
    setAsking(false);
    if (made.sign_in !== 'needed') return onAdded(made);
    signIn.mutate({ server: made.name, back: `/connectors#${keyOf(made)}` });
  });
  const { id, name, url, page } = server;
  const needsForm = server.auth === 'token' || server.own_client;
  const isBusy = add.isPending || signIn.isPending;
  return (
    <li className="flex flex-col gap-2 card p-4">
      <div className="flex flex-wrap items-baseline justify-between gap-x-3">
        <h3 className="font-medium">{name}</h3>
        {isAdded && <StatusMark mark="done" words={t`added`} />}
      </div>
      <p className="truncate font-mono text-meta text-soft">{new URL(url).host}</p>
      <p className="text-meta text-soft">
        {describeSignIn(server)}, {server.checked_on === null ? t`not checked` : t`checked on ${server.checked_on}`}
      </p>
      {signIn.error && <Problem error={signIn.error} />}
      {!asking && add.error && <Problem error={add.error} />}
      <div className="mt-auto flex flex-wrap items-center gap-3">
        <Button
          aria-label={t`Add ${name}`}
          disabled={isBusy || isAdded}
          onClick={() => (needsForm ? setAsking(true) : add.mutate({ name: id, url, for: holder }))}
        >
          <Trans>Add</Trans>
        </Button>
        <a href={page} target="_blank" rel="noopener noreferrer" className="link text-meta">
          <Trans>About {name}</Trans>
        </a>
      </div>
      {asking && (
        <KnownServerForm
          server={server}
          isBusy={isBusy}
          error={add.error}
          onSubmit={(more) => add.mutate({ name: id, url, for: holder, ...more })}
          onClose={() => setAsking(false)}
        />
      )}
    </li>
  );
}

function describeSignIn({ auth, own_client }: KnownServer): string {
  if (auth === 'open') return t`no sign-in`;
  if (auth === 'token') return t`with a key`;
  return own_client ? t`sign-in with a client of your own` : t`sign-in in the browser`;
}
