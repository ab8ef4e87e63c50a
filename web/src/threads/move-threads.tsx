import { plural, t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { useState } from 'react';
import { Button } from '../parts/button.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { TextField } from '../parts/field.tsx';
import { Form } from '../parts/form.tsx';
import { Icon } from '../parts/icon.tsx';
import { Problem } from '../parts/problem.tsx';
import { useCreateProject, useProjects } from './use-projects.ts';
import { useManyThreads } from './use-threads.ts';

/** Moves threads into a project, which may be a new one, or out of all projects. */
export function MoveThreads({
  ids,
  from,
  onClose,
  onMoved,
}: {
  readonly ids: readonly string[];
  /** The project that all of them are in. */
  readonly from?: string | null;
  readonly onClose: () => void;
  readonly onMoved?: () => void;
}) {
  const { projects, error } = useProjects();
  const [name, setName] = useState('');
  const create = useCreateProject();
  const many = useManyThreads();
  const problem = error ?? create.error ?? many.error;
  const busy = create.isPending || many.isPending;
  const move = (projectId: string | null) =>
    many.mutate({ ids, change: { project_id: projectId } }, { onSuccess: onMoved ?? onClose });
  return (
    <Dialog
      title={plural(ids.length, { one: 'Move # thread to a project', other: 'Move # threads to a project' })}
      onClose={onClose}
    >
      <div className="flex flex-col gap-4">
        <ul aria-label={t`Projects`} className="flex flex-col gap-1">
          {projects.map((project) => (
            <li key={project.id}>
              <Button
                look="quiet"
                className="w-full justify-start! text-ink"
                disabled={busy || project.id === from}
                onClick={() => move(project.id)}
              >
                <Icon name="folder" />
                <span className="min-w-0 flex-1 truncate text-start">{project.name}</span>
                {project.id === from && <Icon name="check" />}
              </Button>
            </li>
          ))}
          {from !== null && (
            <li>
              <Button look="quiet" className="w-full justify-start!" disabled={busy} onClick={() => move(null)}>
                <Icon name="close" /> <Trans>No project</Trans>
              </Button>
            </li>
          )}
        </ul>
        <Form
          className="flex items-end gap-2"
          onSubmit={() => create.mutate(name, { onSuccess: ({ id }) => move(id) })}
        >
          <div className="min-w-0 flex-1">
            <TextField
              label={t`New project`}
              required
              maxLength={100}
              value={name}
              onChange={(event) => setName(event.target.value)}
            />
          </div>
          <Button type="submit" disabled={busy || name.trim() === ''}>
            <Trans>Create and move</Trans>
          </Button>
        </Form>
        {problem && <Problem error={problem} />}
      </div>
    </Dialog>
  );
}
