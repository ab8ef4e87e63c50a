import { t } from '@lingui/core/macro';
import type { AuditList } from '@reborn-agent/client/api';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { ReadableJson } from '../chat/transcript/readable-json.tsx';
import { client } from '../client/client.ts';
import { Dialog } from '../parts/dialog.tsx';
import { EmptyState } from '../parts/empty-state.tsx';
import { Facts } from '../parts/facts.tsx';
import { Filter } from '../parts/filter.tsx';
import { Listed } from '../parts/listed.tsx';
import { Page } from '../parts/page.tsx';
import { RelativeTime } from '../parts/relative-time.tsx';
import { Rows } from '../parts/rows.tsx';
import { ShowMore } from '../parts/show-more.tsx';
import { useMorePages } from '../parts/use-more-pages.ts';
import { type Names, nameOfSubject, nameOfUser, wordsOfAction } from './audit-words.ts';

type AuditEntry = AuditList['entries'][number];

/** What was done to the installation, and by whom. */
export function AuditPage() {
  const [text, setText] = useState('');
  const [opened, setOpened] = useState<AuditEntry>();
  const query = useInfiniteQuery({
    queryKey: ['audit'],
    queryFn: ({ pageParam }) => client.call('GET /api/audit', { query: { limit: 100, cursor: pageParam } }),
    initialPageParam: '',
    getNextPageParam: (page) => page.next_cursor,
  });
  const { data, error, refetch } = query;
  useMorePages(text !== '', query);
  const entries = data?.pages.flatMap((page) => page.entries);
  const names = Object.assign({}, ...(data?.pages.map((page) => page.names) ?? [])) as Names;
  const fits = (entry: AuditEntry) =>
    `${entry.action} ${wordsOfAction(entry.action)} ${entry.actor} ${nameOfUser(entry.actor, names)} ${entry.subject} ${nameOfSubject(entry, names)}`
      .toLowerCase()
      .includes(text.toLowerCase());
  return (
    <Page
      title={t`Audit`}
      about={t`What was done to this installation, the newest first.`}
      actions={<Filter label={t`Search the log`} value={text} onChange={setText} />}
    >
      <Listed
        rows={entries?.filter(fits)}
        error={error}
        onRetry={() => void refetch()}
        label={t`Loading the log`}
        empty={
          <EmptyState icon="log" title={text ? t`Nothing fits` : t`Nothing was done yet`}>
            {text ? t`Try other words.` : t`Users, tokens, sign-ins, tools and settings leave their traces here.`}
          </EmptyState>
        }
      >
        {(rows) => (
          <>
            <Rows label={t`Audit log`} rows={rows} keyOf={({ id }) => id} onOpen={setOpened}>
              {(entry) => (
                <>
                  <span className="min-w-0 flex-1 basis-full sm:basis-48 truncate">
                    <span className="font-medium">{wordsOfAction(entry.action)}</span>{' '}
                    <span className="text-soft" title={entry.subject ?? undefined}>
                      {nameOfSubject(entry, names)}
                    </span>
                  </span>
                  <span className="max-w-48 truncate text-meta text-soft" title={entry.actor}>
                    {nameOfUser(entry.actor, names)}
                  </span>
                  <span className="text-meta text-soft">
                    <RelativeTime time={entry.at} />
                  </span>
                </>
              )}
            </Rows>
            <ShowMore pages={query} />
          </>
        )}
      </Listed>
      {opened && (
        <Dialog title={wordsOfAction(opened.action)} place="side" onClose={() => setOpened(undefined)}>
          <Facts
            facts={[
              [t`Recorded as`, opened.action],
              [t`By`, <NameAndId key="by" id={opened.actor} names={names} />],
              [t`About`, opened.subject && <NameAndId key="about" id={opened.subject} names={names} />],
              [t`When`, <RelativeTime key="at" time={opened.at} />],
              [t`Details`, <ReadableJson key="detail" text={JSON.stringify(opened.detail)} />],
            ]}
          />
        </Dialog>
      )}
    </Page>
  );
}

function NameAndId({ id, names }: { readonly id: string; readonly names: Names }) {
  const name = nameOfUser(id, names);
  return (
    <>
      {name} {name !== id && <span className="text-meta text-soft exact">{id}</span>}
    </>
  );
}
