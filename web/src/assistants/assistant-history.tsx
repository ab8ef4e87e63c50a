import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import type { Assistant, AssistantVersion } from '@reborn-agent/client/api';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { client } from '../client/client.ts';
import { ChangedText } from '../files/changed-text.tsx';
import { Button } from '../parts/button.tsx';
import { Problem } from '../parts/problem.tsx';
import { RelativeTime } from '../parts/relative-time.tsx';
import { Section } from '../parts/section.tsx';
import { Skeleton } from '../parts/skeleton.tsx';
import { toBody, toDraft } from './assistant-draft.ts';
import { versionText } from './version-text.ts';

/** The versions of an assistant. To restore an earlier one saves a new version with its settings. */
export function AssistantHistory({
  assistant: { id, version: current },
  mayChange,
  onRestored,
}: {
  readonly assistant: Assistant;
  readonly mayChange: boolean;
  readonly onRestored: (restored: Assistant) => void;
}) {
  const queries = useQueryClient();
  const { data, error, refetch } = useQuery({
    queryKey: ['assistants', id, 'versions', current],
    queryFn: () => client.call('GET /api/assistants/{id}/versions', { params: { id } }),
  });
  const restore = useMutation({
    mutationFn: (version: AssistantVersion) =>
      client.call('PATCH /api/assistants/{id}', { params: { id }, body: toBody(toDraft(version)) }),
    onSuccess: async (restored) => {
      await queries.invalidateQueries({ queryKey: ['assistants'] });
      onRestored(restored);
    },
  });
  const problem = error ?? restore.error;
  return (
    <div className="mt-7 border-t border-line pt-4">
      <Section title={t`History`}>
        {problem && <Problem error={problem} onRetry={() => void refetch()} />}
        {!data && !error && <Skeleton label={t`Loading the history`} />}
        <ol className="flex flex-col gap-4">
          {data?.versions.map((version, index) => (
            <li key={version.version} className="flex flex-col gap-2">
              <p className="text-meta text-soft">
                <span className="font-medium text-ink">{t`Version ${version.version}`}</span>{' '}
                <RelativeTime time={version.written_at} />
              </p>
              <ChangedText text={versionText(version)} before={textOf(data.versions[index + 1])} />
              {mayChange && index > 0 && (
                <Button className="self-start" disabled={restore.isPending} onClick={() => restore.mutate(version)}>
                  <Trans>Restore this version</Trans>
                </Button>
              )}
            </li>
          ))}
        </ol>
      </Section>
    </div>
  );
}

const textOf = (version: AssistantVersion | undefined) => version && versionText(version);
