import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import type { Project } from '@reborn-agent/client/api';
import { useState } from 'react';
import { Button, IconButton } from '../parts/button.tsx';
import { Confirm } from '../parts/confirm.tsx';
import { wordsOf } from '../parts/error-words.ts';
import { Icon } from '../parts/icon.tsx';
import { Menu } from '../parts/menu.tsx';
import { useThreadDrop } from './dragged-thread.ts';
import { NameInput } from './name-input.tsx';
import { isProjectOpen, keepProjectOpen } from './open-projects.ts';
import { ThreadRow } from './thread-row.tsx';
import { useCreateProject, useDeleteProject, useProjects, useRenameProject } from './use-projects.ts';
import { useManyThreads, useThreads } from './use-threads.ts';

/** The projects, each with its threads if it is open, and the name of a new one while it is typed. */
export function ProjectList({ isNaming, onNamed }: { readonly isNaming: boolean; readonly onNamed: () => void }) {
  const { projects, error } = useProjects();
  const create = useCreateProject();
  const problem = create.error ?? error;
  if (projects.length === 0 && !isNaming && !problem) return null;
  return (
    <section aria-label={t`Projects`}>
      <h2 className="px-2 pb-1 pt-3 text-label text-soft">
        <Trans>Projects</Trans>
      </h2>
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
  const rename = useRenameProject(project.id);
  const many = useManyThreads();
  const { isOver, dropProps } = useThreadDrop((id) => many.mutate({ ids: [id], change: { project_id: project.id } }));
  const problem = rename.error ?? many.error;
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
          onKeep={(name) => name && rename.mutate(name)}
          onDone={() => setRenaming(false)}
        />
      ) : (
        <div className="group relative">
          <button
            type="button"
            aria-expanded={isOpen}
            className="flex min-h-target w-full items-center gap-2 rounded py-1 ps-2 pe-3 text-start group-focus-within:pe-8 group-hover:pe-8 touch:pe-8 hover:bg-hover"
            onClick={toggle}
          >
            <Icon name="right" className={`text-soft transition-transform ${isOpen ? 'rotate-90' : ''}`} />
            <span className="min-w-0 flex-1 truncate">{project.name}</span>
          </button>
          <ProjectMenu project={project} onRename={() => setRenaming(true)} />
        </div>
      )}
      {problem && (
        <p role="alert" className="px-2 text-meta text-failed">
          {wordsOf(problem)}
        </p>
      )}
      {isOpen && <ProjectThreads id={project.id} />}
    </li>
  );
}

function ProjectMenu({ project, onRename }: { readonly project: Project; readonly onRename: () => void }) {
  const [deleting, setDeleting] = useState(false);
  const remove = useDeleteProject(project.id);
  return (
    <>
      <Menu
        trigger={
          <IconButton
            icon="more"
            label={t`Actions on the project ${project.name}`}
            className="absolute end-0 top-0 opacity-0 focus-visible:opacity-100 group-focus-within:opacity-100 group-hover:opacity-100 data-popup-open:opacity-100 touch:opacity-100"
          />
        }
        entries={[
          { words: t`Rename`, icon: 'edit', onChoose: onRename },
          {
            words: project.role === 'owner' ? t`Delete` : t`Leave`,
            icon: 'trash',
            danger: true,
            onChoose: () => setDeleting(true),
          },
        ]}
      />
      {deleting && (
        <Confirm
          title={project.role === 'owner' ? t`Delete this project?` : t`Leave this project?`}
          action={project.role === 'owner' ? t`Delete` : t`Leave`}
          onConfirm={() => remove.mutate()}
          onClose={() => setDeleting(false)}
        >
          {project.role === 'owner' ? (
            <Trans>
              The threads in “{project.name}” stay. They are back in the list. Its instructions, notes and files are
              deleted, also for those with whom it is shared.
            </Trans>
          ) : (
            <Trans>You leave “{project.name}”. Your threads in it stay. They are back in the list.</Trans>
          )}
        </Confirm>
      )}
    </>
  );
}

function ProjectThreads({ id }: { readonly id: string }) {
  const { data, error, hasNextPage, fetchNextPage } = useThreads({ q: '', archived: false, project: id });
  const threads = data?.pages.flatMap((page) => page.threads) ?? [];
  return (
    <div className="ps-3">
      {error && <p className="px-2 text-meta text-failed">{wordsOf(error)}</p>}
      {data && threads.length === 0 && (
        <p className="px-2 py-1 text-meta text-soft">
          <Trans>Empty. Drag threads here, or use their menu.</Trans>
        </p>
      )}
      <ul>
        {threads.map((thread) => (
          <ThreadRow key={thread.id} thread={thread} />
        ))}
      </ul>
      {hasNextPage && (
        <Button look="quiet" className="w-full" onClick={() => void fetchNextPage()}>
          <Trans>Show more</Trans>
        </Button>
      )}
    </div>
  );
}
