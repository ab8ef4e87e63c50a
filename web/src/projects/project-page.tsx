import { t } from '@lingui/core/macro';
import type { FullProject } from '@reborn-agent/client/api';
import { useNavigate, useParams } from '@tanstack/react-router';
import { Composer } from '../chat/composer/composer.tsx';
import { SentLaterNote } from '../chat/sent-later-note.tsx';
import { useNewThread } from '../chat/use-new-thread.tsx';
import { EmptyState } from '../parts/empty-state.tsx';
import { Page } from '../parts/page.tsx';
import { Problem } from '../parts/problem.tsx';
import { Skeleton } from '../parts/skeleton.tsx';
import { ProjectMenu } from '../threads/project-menu.tsx';
import { ProjectThreads } from '../threads/project-threads.tsx';
import { useProject } from '../threads/use-projects.ts';
import { ProjectAssistants } from './project-assistants.tsx';
import { ProjectFiles } from './project-files.tsx';
import { ProjectInstructions } from './project-instructions.tsx';
import { ProjectMembers } from './project-members.tsx';
import { ProjectNotes } from './project-notes.tsx';
import { ProjectSettings } from './project-settings.tsx';
import { isProjectTab, type ProjectTab, ProjectTabs } from './project-tabs.tsx';

/** A project: a thread begins in it here, and what all of its threads have is in the tabs. */
export function ProjectPage() {
  const { projectId = '', tab } = useParams({ strict: false });
  const { data, error, refetch } = useProject(projectId);
  if (data) return <Loaded key={projectId} project={data} tab={isProjectTab(tab) ? tab : undefined} />;
  return (
    <Page title={t`Project`}>
      {error ? <Problem error={error} onRetry={() => void refetch()} /> : <Skeleton label={t`Loading the project`} />}
    </Page>
  );
}

type LoadedProps = { readonly project: FullProject; readonly tab: ProjectTab | undefined };

function Loaded({ project, tab }: LoadedProps) {
  const navigate = useNavigate();
  const toSettings = () =>
    void navigate({ to: '/projects/$projectId/$tab', params: { projectId: project.id, tab: 'settings' } });
  return (
    <Page title={project.name} about={accessWords(project)}>
      <NewThreadHere project={project} />
      <div className="flex items-start justify-between gap-2">
        <ProjectTabs id={project.id} />
        <ProjectMenu project={project} onRename={toSettings} />
      </div>
      <Tab project={project} tab={tab} />
    </Page>
  );
}

function NewThreadHere({ project }: { readonly project: FullProject }) {
  const { send, pickers, web } = useNewThread({ project });
  return (
    <div className="-my-3 page-composer">
      <SentLaterNote />
      <Composer draftKey={`project ${project.id}`} web={web} model={pickers} onSend={send} />
    </div>
  );
}

function Tab({ project, tab }: LoadedProps) {
  switch (tab) {
    case 'instructions':
      return <ProjectInstructions project={project} />;
    case 'files':
      return <ProjectFiles project={project} />;
    case 'notes':
      return <ProjectNotes project={project} />;
    case 'assistants':
      return <ProjectAssistants project={project} />;
    case 'members':
      return <ProjectMembers project={project} />;
    case 'settings':
      return <ProjectSettings project={project} />;
    case undefined:
      return (
        <ProjectThreads
          id={project.id}
          className="card p-1"
          empty={
            <EmptyState icon="chat" title={t`No threads in this project yet`}>
              {t`Write a message above to begin one, or move a thread here with its menu.`}
            </EmptyState>
          }
        />
      );
  }
}

/** Who sees what is in the project. Threads are each person's own. */
function accessWords({ role, is_shared: isShared, owner }: FullProject): string {
  const name = owner.name ?? t`another person`;
  if (role === 'read') return t`Shared by ${name}. You can read what is in it; your threads are yours alone.`;
  if (role === 'write') return t`Shared by ${name}. You can change what is in it; your threads are yours alone.`;
  return isShared
    ? t`Shared. Members see its instructions, files and notes; your threads are yours alone.`
    : t`Only you can see it.`;
}
