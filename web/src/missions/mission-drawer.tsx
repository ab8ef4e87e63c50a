import type { ListedMission } from '@reborn-agent/client/api';
import { formatCost } from '@reborn-agent/client/format';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { client } from '../client/client.ts';
import { Button } from '../parts/button.tsx';
import { Confirm } from '../parts/confirm.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { Facts } from '../parts/facts.tsx';
import { Problem } from '../parts/problem.tsx';
import { StatusMark } from '../parts/status-mark.tsx';
import { MissionForm } from './mission-form.tsx';
import { formatIn, HERE, markOfMission, PAUSES } from './mission-words.ts';
import { Timeline } from './timeline.tsx';

type Props = { readonly mission: ListedMission; readonly onClose: () => void };

/** A mission: its state and settings, what can be done with it, and its runs. */
export function MissionDrawer({ mission, onClose }: Props) {
  const [editing, setEditing] = useState(false);
  const pause = PAUSES[mission.pause_reason ?? ''];
  if (editing)
    return <MissionForm mission={mission} onClose={() => setEditing(false)} onSaved={() => setEditing(false)} />;
  return (
    <Dialog title={mission.name} place="side" onClose={onClose}>
      <div className="flex flex-col gap-6">
        {pause && <p className="rounded border border-failed bg-failed-wash p-3 text-m">{pause}</p>}
        <Actions mission={mission} onEdit={() => setEditing(true)} onDeleted={onClose} />
        <Facts facts={factsOf(mission)} />
        <Timeline id={mission.id} />
      </div>
    </Dialog>
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
          Run now
        </Button>
        {state === 'active' && (
          <Button icon="pause" disabled={act.isPending} onClick={() => act.mutate('pause')}>
            Pause
          </Button>
        )}
        {state === 'paused' && (
          <Button icon="clock" disabled={act.isPending} onClick={() => act.mutate('resume')}>
            Resume
          </Button>
        )}
        <Button icon="edit" onClick={onEdit}>
          Edit
        </Button>
        <Button look="danger" icon="trash" className="ml-auto" onClick={() => setAsking(true)}>
          Delete
        </Button>
      </div>
      {error && <Problem error={error} />}
      {asking && (
        <Confirm
          title={`Delete ${name}?`}
          action="Delete"
          onConfirm={() => remove.mutate()}
          onClose={() => setAsking(false)}
        >
          Its list of runs is deleted too. The threads of its runs stay.
        </Confirm>
      )}
    </>
  );
}

const factsOf = (mission: ListedMission): [string, ReactNode][] => [
  ['State', <StatusMark key="state" {...markOfMission(mission)} />],
  ['Instruction', mission.instruction],
  ['Schedule', mission.schedule_words],
  ['Next run', mission.next_due_at && `${formatIn(mission.next_due_at, HERE)} (${HERE})`],
  ['Budget', budgetOf(mission)],
  ['Tools', mission.tools && (mission.tools.join(', ') || 'none')],
  [
    'Thread',
    mission.thread_id && (
      <Link
        key="thread"
        to="/threads/$threadId"
        params={{ threadId: mission.thread_id }}
        className="underline underline-offset-2"
      >
        Go to its thread
      </Link>
    ),
  ],
];

function budgetOf(mission: ListedMission): string {
  const parts = [
    mission.tokens_per_run !== null && `${mission.tokens_per_run.toLocaleString('en')} tokens per run`,
    mission.tokens_per_day !== null && `${mission.tokens_per_day.toLocaleString('en')} tokens per day`,
    mission.usd_per_run !== null && `${formatCost(mission.usd_per_run)} per run`,
    mission.usd_per_day !== null && `${formatCost(mission.usd_per_day)} per day`,
  ];
  return parts.filter(Boolean).join(', ');
}
