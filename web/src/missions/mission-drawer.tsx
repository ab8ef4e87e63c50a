import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import type { ListedMission } from '@reborn-agent/client/api';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { client } from '../client/client.ts';
import { formatCost, formatNumber } from '../format/number.ts';
import { Button } from '../parts/button.tsx';
import { Confirm } from '../parts/confirm.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { Facts } from '../parts/facts.tsx';
import { Problem } from '../parts/problem.tsx';
import { StatusMark } from '../parts/status-mark.tsx';
import { MissionForm } from './mission-form.tsx';
import { formatIn, HERE, markOfMission, pauses } from './mission-words.ts';
import { wordsOfSchedule } from './schedule-words.ts';
import { Timeline } from './timeline.tsx';

type Props = { readonly mission: ListedMission; readonly onClose: () => void };

/** A mission: its state and settings, what can be done with it, and its runs. */
export function MissionDrawer({ mission, onClose }: Props) {
  const [editing, setEditing] = useState(false);
  const pause = pauses()[mission.pause_reason ?? ''];
  if (editing)
    return <MissionForm mission={mission} onClose={() => setEditing(false)} onSaved={() => setEditing(false)} />;
  return (
    <Dialog title={mission.name} place="side" onClose={onClose}>
      <div className="flex flex-col gap-7">
        {pause && <p className="wash bg-failed-wash">{pause}</p>}
        <Actions mission={mission} onEdit={() => setEditing(true)} onDeleted={onClose} />
        <Facts facts={factsOf(mission)} />
        {mission.tools && mission.tools.length > 0 && <AskingTools mission={mission} />}
        <Timeline id={mission.id} />
      </div>
    </Dialog>
  );
}

/** Which of its tools would wait for an approval, so that its owner knows before the first run. */
function AskingTools({ mission: { id, tools } }: { readonly mission: ListedMission }) {
  const { data } = useQuery({
    queryKey: ['missions', id, 'asking', tools],
    queryFn: () => client.call('GET /api/missions/{id}', { params: { id } }),
  });
  if (!data || data.asks_after_others.length === 0) return null;
  const names = data.asks_after_others.join(', ');
  return (
    <p className="wash bg-waiting-wash">
      <Trans>After reading text by others, a run waits for your approval before it calls: {names}.</Trans>
    </p>
  );
}

function Actions({
  mission: { id, state, name },
  onEdit,
  onDeleted,
}: {
  readonly mission: ListedMission;
  readonly onEdit: () => void;
  readonly onDeleted: () => void;
}) {
  const queries = useQueryClient();
  const [asking, setAsking] = useState(false);
  const onSuccess = async () => {
    await Promise.all([
      queries.invalidateQueries({ queryKey: ['missions'] }),
      queries.invalidateQueries({ queryKey: ['occurrences', id] }),
    ]);
  };
  const act = useMutation({
    mutationFn: async (action: 'run' | 'pause' | 'resume') => {
      await client.call(`POST /api/missions/{id}/${action}`, { params: { id } });
    },
    onSuccess,
  });
  const remove = useMutation({
    mutationFn: () => client.call('DELETE /api/missions/{id}', { params: { id } }),
    onSuccess: () => {
      onDeleted();
      return queries.invalidateQueries({ queryKey: ['missions'] });
    },
  });
  const error = act.error ?? remove.error;
  return (
    <>
      <div className="flex flex-wrap gap-2">
        <Button icon="play" disabled={act.isPending} onClick={() => act.mutate('run')}>
          <Trans>Run now</Trans>
        </Button>
        {state === 'active' && (
          <Button icon="pause" disabled={act.isPending} onClick={() => act.mutate('pause')}>
            <Trans>Pause</Trans>
          </Button>
        )}
        {state === 'paused' && (
          <Button icon="clock" disabled={act.isPending} onClick={() => act.mutate('resume')}>
            <Trans>Resume</Trans>
          </Button>
        )}
        <Button icon="edit" onClick={onEdit}>
          <Trans>Edit</Trans>
        </Button>
        <Button look="danger" icon="trash" className="ms-auto" onClick={() => setAsking(true)}>
          <Trans>Delete</Trans>
        </Button>
      </div>
      {error && <Problem error={error} />}
      {asking && (
        <Confirm
          title={t`Delete ${name}?`}
          action={t`Delete`}
          onConfirm={() => remove.mutate()}
          onClose={() => setAsking(false)}
        >
          <Trans>Its list of runs is deleted too. The threads of its runs stay.</Trans>
        </Confirm>
      )}
    </>
  );
}

const factsOf = (mission: ListedMission): [string, ReactNode][] => [
  [t`State`, <StatusMark key="state" {...markOfMission(mission)} />],
  [t`Instruction`, mission.instruction],
  [t`Schedule`, wordsOfSchedule(mission.schedule, mission.schedule_words)],
  [t`Next run`, mission.next_due_at && `${formatIn(mission.next_due_at, HERE)} (${HERE})`],
  [t`Assistant`, mission.assistant],
  [t`Budget`, budgetOf(mission)],
  [t`Tools`, mission.tools && (mission.tools.join(', ') || t`none`)],
  [
    t`Thread`,
    mission.thread_id && (
      <Link key="thread" to="/threads/$threadId" params={{ threadId: mission.thread_id }} className="link">
        <Trans>Go to its thread</Trans>
      </Link>
    ),
  ],
];

function budgetOf(mission: ListedMission): string {
  const parts = [
    mission.tokens_per_run !== null && t`${formatNumber(mission.tokens_per_run)} tokens per run`,
    mission.tokens_per_day !== null && t`${formatNumber(mission.tokens_per_day)} tokens per day`,
    mission.usd_per_run !== null && t`${formatCost(mission.usd_per_run)} per run`,
    mission.usd_per_day !== null && t`${formatCost(mission.usd_per_day)} per day`,
  ];
  return parts.filter(Boolean).join(', ');
}
