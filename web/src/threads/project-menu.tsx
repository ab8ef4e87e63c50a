import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import type { Project } from '@reborn-agent/client/api';
import { useNavigate, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { IconButton } from '../parts/button.tsx';
import { Confirm } from '../parts/confirm.tsx';
import { wordsOf } from '../parts/error-words.ts';
import { Menu } from '../parts/menu.tsx';
import { tell } from '../parts/notice.tsx';
import { useDeleteProject } from './use-projects.ts';

/** What can be done with a project, in the list and on its own page. */
export function ProjectMenu({
  project,
  onRename,
  className = '',
}: {
  readonly project: Pick<Project, 'id' | 'name' | 'role'>;
  readonly onRename: () => void;
  readonly className?: string;
}) {
  const [deleting, setDeleting] = useState(false);
  const { projectId: open } = useParams({ strict: false });
  const navigate = useNavigate();
  const remove = useDeleteProject(project.id);
  const isOwner = project.role === 'owner';
  // The row and the page go away with the project, so this does not depend on them.
  const confirm = () =>
    remove.mutateAsync().then(
      () => (open === project.id ? navigate({ to: '/' }) : undefined),
      (error: unknown) => tell(wordsOf(error)),
    );
  return (
    <>
      <Menu
        trigger={<IconButton icon="more" label={t`Actions on the project ${project.name}`} className={className} />}
        entries={[
          { words: t`Rename`, icon: 'edit', onChoose: onRename },
          {
            words: isOwner ? t`Delete` : t`Leave`,
            icon: 'trash',
            danger: true,
            onChoose: () => setDeleting(true),
          },
        ]}
      />
      {deleting && (
        <Confirm
          title={isOwner ? t`Delete this project?` : t`Leave this project?`}
          action={isOwner ? t`Delete` : t`Leave`}
          onConfirm={() => void confirm()}
          onClose={() => setDeleting(false)}
        >
          {isOwner ? (
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
