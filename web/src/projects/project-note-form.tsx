import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import type { ProjectNote } from '@reborn-agent/client/api';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { client } from '../client/client.ts';
import { Button } from '../parts/button.tsx';
import { Confirm } from '../parts/confirm.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { TextArea, TextField } from '../parts/field.tsx';
import { Form } from '../parts/form.tsx';
import { Problem } from '../parts/problem.tsx';
import { AuthorLine } from './author-line.tsx';

export const notesOf = (projectId: string) => ['project', projectId, 'notes'];

type Props = {
  readonly projectId: string;
  /** The note to change; a new one when left out. */
  readonly note: ProjectNote | undefined;
  /** The paths of all notes: a new one does not write over another. */
  readonly taken: readonly string[];
  readonly mayWrite: boolean;
  readonly onClose: () => void;
};

/** A note of a project. To save the text of another person makes it one's own. */
export function ProjectNoteForm({ projectId, note, taken, mayWrite, onClose }: Props) {
  const queries = useQueryClient();
  const [path, setPath] = useState(note?.path ?? '');
  const [text, setText] = useState(note?.text ?? '');
  const [asking, setAsking] = useState(false);
  const params = { id: projectId, path: path.trim() };
  const isTaken = !note && taken.includes(params.path);
  const onSuccess = async () => {
    await queries.invalidateQueries({ queryKey: notesOf(projectId) });
    onClose();
  };
  const write = useMutation({
    mutationFn: () => client.call('PUT /api/projects/{id}/notes/{path}', { params, body: { text } }),
    onSuccess,
  });
  const remove = useMutation({
    mutationFn: () => client.call('DELETE /api/projects/{id}/notes/{path}', { params }),
    onSuccess,
  });
  const error = write.error ?? remove.error;
  const isUnchanged = note?.text === text;
  return (
    <Dialog title={note ? note.path : t`Write a note`} place="side" onClose={onClose}>
      <Form onSubmit={() => write.mutate()}>
        {note && <AuthorLine written={note} />}
        {!note && (
          <TextField
            label={t`Path`}
            required
            value={path}
            placeholder="people/ann"
            onChange={(event) => setPath(event.target.value)}
            error={isTaken ? t`There is a note with this path. Choose another one.` : undefined}
            hint={t`Threads read it as project/notes/ with this path.`}
          />
        )}
        <TextArea
          label={t`Text`}
          required
          rows={10}
          className="text-reading"
          readOnly={!mayWrite}
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
        {error && <Problem error={error} />}
        {mayWrite && (
          <div className="flex flex-wrap justify-between gap-2">
            <Button
              type="submit"
              look="act"
              disabled={isTaken || write.isPending || (isUnchanged && note.written_by.you)}
            >
              {isUnchanged && !note.written_by.you ? <Trans>Keep as mine</Trans> : <Trans>Save note</Trans>}
            </Button>
            {note && (
              <Button look="danger" icon="trash" onClick={() => setAsking(true)}>
                <Trans>Delete the note</Trans>
              </Button>
            )}
          </div>
        )}
      </Form>
      {asking && (
        <Confirm
          title={t`Delete this note?`}
          action={t`Delete`}
          onConfirm={() => remove.mutate()}
          onClose={() => setAsking(false)}
        >
          <Trans>Threads of the project can't read it any more, also those of other members.</Trans>
        </Confirm>
      )}
    </Dialog>
  );
}
