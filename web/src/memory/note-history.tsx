import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import type { NoteVersion } from '@reborn-agent/client/api';
import { readBeforeNote } from '@reborn-agent/client/gate-card';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { ReadSources } from '../chat/gates/read-sources.tsx';
import { client } from '../client/client.ts';
import { ChangedText } from '../files/changed-text.tsx';
import { Button } from '../parts/button.tsx';
import { Problem } from '../parts/problem.tsx';
import { RelativeTime } from '../parts/relative-time.tsx';
import { Section } from '../parts/section.tsx';
import { Skeleton } from '../parts/skeleton.tsx';
import { ForgetDialog } from './forget-dialog.tsx';

/** The versions of a note: when, by whom and after reading what each was written. An earlier one can be restored. */
export function NoteHistory({ path, onDone }: { readonly path: string; readonly onDone: () => void }) {
  const queries = useQueryClient();
  const [forgetting, setForgetting] = useState<NoteVersion>();
  const { data, error, refetch } = useQuery({
    queryKey: ['note', path, 'versions'],
    queryFn: () => client.call('GET /api/note-versions/{path}', { params: { path } }),
    gcTime: 0,
  });
  const restore = useMutation({
    mutationFn: (version: number) =>
      client.call('POST /api/note-versions/{path}', { params: { path }, body: { version } }),
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: ['memory'] });
      onDone();
    },
  });
  return (
    <div className="mt-7">
      <Section title={t`History`}>
        {(error ?? restore.error) && <Problem error={error ?? restore.error} onRetry={() => void refetch()} />}
        {!data && !error && <Skeleton label={t`Loading the history`} />}
        <ol className="flex flex-col gap-4">
          {data?.versions.map((version, index) => (
            <li key={version.version} className="flex flex-col gap-2 border-t border-line pt-3">
              <VersionLine version={version} />
              {version.text !== null && (
                <ChangedText text={version.text} before={data.versions[index + 1]?.text ?? undefined} />
              )}
              <div className="flex flex-wrap gap-2 empty:hidden">
                {index > 0 && version.text !== null && (
                  <Button disabled={restore.isPending} onClick={() => restore.mutate(version.version)}>
                    <Trans>Restore this version</Trans>
                  </Button>
                )}
                {version.written_by === 'agent' && (
                  <Button onClick={() => setForgetting(version)}>
                    <Trans>Forget what came from here</Trans>
                  </Button>
                )}
              </div>
            </li>
          ))}
        </ol>
      </Section>
      {forgetting && <ForgetDialog version={forgetting} onClose={() => setForgetting(undefined)} onDone={onDone} />}
    </div>
  );
}

function VersionLine({ version }: { readonly version: NoteVersion }) {
  const { thread_id: threadId, sources } = version;
  const { read, more } = readBeforeNote(sources);
  return (
    <div className="flex flex-col gap-1 text-meta text-soft">
      <p>
        <span className="font-medium text-ink">{authorWords(version)}</span> <RelativeTime time={version.written_at} />
      </p>
      {read.length > 0 && (
        <p className="break-words">
          <Trans>
            after reading <ReadSources read={read} more={more} />
          </Trans>
        </p>
      )}
      {threadId && (
        <Link to="/threads/$threadId" params={{ threadId }} hash={sources.at(-1)?.item_id ?? ''} className="link w-fit">
          <Trans>Open the thread</Trans>
        </Link>
      )}
    </div>
  );
}

function authorWords({ written_by: by, text }: NoteVersion): string {
  if (text === null) return { person: t`Deleted by you`, agent: t`Deleted by the agent`, unknown: t`Deleted` }[by];
  return { person: t`Written by you`, agent: t`Written by the agent`, unknown: t`Author not recorded` }[by];
}
