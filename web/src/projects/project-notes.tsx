import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import type { FullProject, ProjectNote } from '@reborn-agent/client/api';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { client } from '../client/client.ts';
import { Button } from '../parts/button.tsx';
import { EmptyState } from '../parts/empty-state.tsx';
import { Listed } from '../parts/listed.tsx';
import { RelativeTime } from '../parts/relative-time.tsx';
import { Rows } from '../parts/rows.tsx';
import { authorWords } from './author-line.tsx';
import { notesOf, ProjectNoteForm } from './project-note-form.tsx';

/** Short texts that all threads of the project can read. People write them. */
export function ProjectNotes({ project: { id, role } }: { readonly project: FullProject }) {
  const [opened, setOpened] = useState<ProjectNote | 'new'>();
  const { data, error, refetch } = useQuery({
    queryKey: notesOf(id),
    queryFn: () => client.call('GET /api/projects/{id}/notes', { params: { id } }),
  });
  const mayWrite = role !== 'read';
  return (
    <div className="flex flex-col gap-4">
      {mayWrite && (
        <Button icon="add" className="self-start" onClick={() => setOpened('new')}>
          <Trans>Write a note</Trans>
        </Button>
      )}
      <Listed
        rows={data?.notes}
        error={error}
        onRetry={() => void refetch()}
        label={t`Loading notes`}
        empty={
          <EmptyState icon="memory" title={t`No notes in this project yet`}>
            {mayWrite
              ? t`Write down what its threads should know, such as names, addresses and decisions.`
              : t`Members who may write can add some.`}
          </EmptyState>
        }
      >
        {(notes) => (
          <Rows label={t`Notes`} rows={notes} keyOf={({ path }) => path} onOpen={setOpened}>
            {(note) => <NoteRow note={note} />}
          </Rows>
        )}
      </Listed>
      {opened && (
        <ProjectNoteForm
          projectId={id}
          note={opened === 'new' ? undefined : opened}
          taken={data?.notes.map(({ path }) => path) ?? []}
          mayWrite={mayWrite}
          onClose={() => setOpened(undefined)}
        />
      )}
    </div>
  );
}

function NoteRow({ note: { path, text, written_by: by, updated_at: at } }: { readonly note: ProjectNote }) {
  return (
    <>
      <span className="min-w-0 flex-1 basis-full sm:basis-60">
        <span className="block truncate font-medium">{path}</span>
        <span className="line-clamp-2 break-words text-meta text-soft">{text}</span>
      </span>
      {!by.you && <span className="text-meta text-soft">{authorWords(by)}</span>}
      <span className="text-meta text-soft">
        <RelativeTime time={at} />
      </span>
    </>
  );
}
