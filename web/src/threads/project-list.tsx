import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import type { Project } from '@reborn-agent/client/api';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { IconButton } from '../parts/button.tsx';
import { wordsOf } from '../parts/error-words.ts';
import { useThreadDrop } from './dragged-thread.ts';
import { NameInput } from './name-input.tsx';
import { isProjectOpen, keepProjectOpen } from './open-projects.ts';
import { ProjectMenu } from './project-menu.tsx';
import { ProjectThreads } from './project-threads.tsx';
import { useChangeProject, useCreateProject, useProjects } from './use-projects.ts';
import { useManyThreads } from './use-threads.ts';

/** The projects, each with its threads if it is open, and the name of a new one while it is typed. */
export function ProjectList({
  isNaming,
  onName,
  onNamed,
}: {
  readonly isNaming: boolean;
  readonly onName: () => void;
  readonly onNamed: () => void;
}) {
  const { projects, error } = useProjects();
  const create = useCreateProject();
  const problem = create.error ?? error;
  if (projects.length === 0 && !isNaming && !problem) return null;
  return (
    <section aria-label={t`Projects`}>
      <div className="mt-2 flex min-h-7 items-center ps-2">
        <h2 className="min-w-0 flex-1 truncate text-label text-soft">
          <Trans>Projects</Trans>
        </h2>
        <IconButton icon="add" label={t`New project`} className="size-7" onClick={onName} />
      </div>
      {isNaming && (
        <NameInput label={t`Name of the project`} name="" maxLength={100} onKeep={create.mutate} onDone={onNamed} />
      )}
      {problem && (
        <p role="alert" className="px-2 text-meta text-failed">
          {wordsOf(problem)}
        </p>
      )}
      <ul>
        {projects.map((project) => (
          <ProjectRow key={project.id} project={project} />
        ))}
      </ul>
    </section>
  );
}

function ProjectRow({ project }: { readonly project: Project }) {
  const [isOpen, setOpen] = useState(() => isProjectOpen(project.id));
  const [renaming, setRenaming] = useState(false);
  const change = useChangeProject(project.id);
  const many = useManyThreads();
  const { isOver, dropProps } = useThreadDrop((id) => many.mutate({ ids: [id], change: { project_id: project.id } }));
  const problem = change.error ?? many.error;
  const toggle = () => {
    keepProjectOpen(project.id, !isOpen);
    setOpen(!isOpen);
  };
  return (
    <li {...dropProps} className={`rounded ${isOver ? 'bg-hover' : ''}`}>
      {renaming ? (
        <NameInput
          label={t`Name of the project`}
          name={project.name}
          maxLength={100}
          onKeep={(name) => name && change.mutate({ name })}
          onDone={() => setRenaming(false)}
        />
      ) : (
        <div className="group relative flex items-center rounded hover:bg-hover has-[[aria-current]]:bg-hover">
          <IconButton
            icon="right"
            label={t`Threads of ${project.name}`}
            aria-expanded={isOpen}
            className={isOpen ? '*:rotate-90' : ''}
            onClick={toggle}
          />
          <Link
            to="/projects/$projectId"
            params={{ projectId: project.id }}
            className="flex min-h-target min-w-0 flex-1 items-center rounded py-1 pe-3 group-focus-within:pe-8 group-hover:pe-8 touch:pe-8"
            activeProps={{ className: 'font-medium', 'aria-current': 'page' }}
          >
            <span className="min-w-0 flex-1 truncate">{project.name}</span>
          </Link>
          <ProjectMenu
            project={project}
            onRename={() => setRenaming(true)}
            className="absolute end-0 top-0 opacity-0 focus-visible:opacity-100 group-focus-within:opacity-100 group-hover:opacity-100 data-popup-open:opacity-100 touch:opacity-100"
          />
        </div>
      )}
      {problem && (
        <p role="alert" className="px-2 text-meta text-failed">
          {wordsOf(problem)}
        </p>
      )}
      {isOpen && (
        <div className="ps-3">
          <ProjectThreads
            id={project.id}
            empty={
              <p className="px-2 py-1 text-meta text-soft">
                <Trans>Empty. Drag threads here, or use their menu.</Trans>
              </p>
            }
          />
        </div>
      )}
    </li>
  );
}
