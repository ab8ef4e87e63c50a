import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import type { ListedMission } from '@reborn-agent/client/api';
import { useQuery } from '@tanstack/react-query';
import { useLocation } from '@tanstack/react-router';
import { useState } from 'react';
import { client } from '../client/client.ts';
import { Button } from '../parts/button.tsx';
import { EmptyState } from '../parts/empty-state.tsx';
import { Listed } from '../parts/listed.tsx';
import { Page } from '../parts/page.tsx';
import { RelativeTime } from '../parts/relative-time.tsx';
import { Rows } from '../parts/rows.tsx';
import { StatusMark } from '../parts/status-mark.tsx';
import { MissionDrawer } from './mission-drawer.tsx';
import { MissionForm } from './mission-form.tsx';
import { MissionTabs } from './mission-tabs.tsx';
import { markOfMission, markOfRun } from './mission-words.ts';
import { wordsOfSchedule } from './schedule-words.ts';

/** How often the list is read again: the service does not report runs of missions. */
const REFRESH_MS = 5000;

/** Instructions that run on a schedule. */
export function MissionsPage() {
  const [opened, setOpened] = useOpened();
  const [creating, setCreating] = useState(false);
  const { data, error, refetch } = useQuery({
    queryKey: ['missions'],
    queryFn: () => client.call('GET /api/missions'),
    refetchInterval: REFRESH_MS,
  });
  const mission = data?.missions.find(({ id }) => id === opened);
  return (
    <Page
      title={t`Missions`}
      about={t`Instructions that run on a schedule.`}
      actions={
        <Button icon="add" onClick={() => setCreating(true)}>
          <Trans>Create a mission</Trans>
        </Button>
      }
    >
      <MissionTabs />
      <Listed
        rows={data?.missions}
        error={error}
        onRetry={() => void refetch()}
        label={t`Loading missions`}
        empty={
          <EmptyState icon="clock" title={t`No missions yet`}>
            <Trans>
              Ask in a chat, such as “every weekday at 8 in Oslo, summarise my notes”, or create a mission here.
            </Trans>
          </EmptyState>
        }
      >
        {(missions) => (
          <Rows label={t`Missions`} rows={missions} keyOf={({ id }) => id} onOpen={({ id }) => setOpened(id)}>
            {(row) => <MissionRow mission={row} />}
          </Rows>
        )}
      </Listed>
      {mission && <MissionDrawer mission={mission} onClose={() => setOpened(undefined)} />}
      {creating && (
        <MissionForm
          onClose={() => setCreating(false)}
          onSaved={({ id }) => {
            setCreating(false);
            setOpened(id);
          }}
        />
      )}
    </Page>
  );
}

/** The mission that an address such as /missions/all#ID opens, until it is closed. */
function useOpened() {
  const named = useLocation({ select: ({ hash }) => hash || undefined });
  const [opened, setOpened] = useState(named);
  const [seen, setSeen] = useState(named);
  if (named !== seen) {
    setSeen(named);
    setOpened(named);
  }
  return [opened, setOpened] as const;
}

function MissionRow({ mission }: { readonly mission: ListedMission }) {
  const { last_run: last, next_due_at: next } = mission;
  return (
    <>
      <span className="shrink-0 sm:w-20">
        <StatusMark {...markOfMission(mission)} />
      </span>
      <span className="min-w-0 flex-1 basis-60">
        <span className="block truncate font-medium">{mission.name}</span>
        <span className="block truncate text-meta text-soft">
          {wordsOfSchedule(mission.schedule, mission.schedule_words)}
        </span>
      </span>
      <span className="flex flex-col text-meta text-soft sm:w-44">
        <span>
          {next ? (
            <Trans>
              Next: <RelativeTime time={next} />
            </Trans>
          ) : (
            <Trans>Next: none</Trans>
          )}
        </span>
        <span className="flex flex-wrap gap-x-2">
          {last ? <StatusMark {...markOfRun(last)} /> : t`not run yet`}
          {last && <RelativeTime time={last.slot} />}
        </span>
      </span>
    </>
  );
}
