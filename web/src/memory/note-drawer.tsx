import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import type { Note } from '@reborn-agent/client/api';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { client } from '../client/client.ts';
import { Button } from '../parts/button.tsx';
import { Confirm } from '../parts/confirm.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { Problem } from '../parts/problem.tsx';
import { Skeleton } from '../parts/skeleton.tsx';
import { NoteHistory } from './note-history.tsx';
import { NoteOrigin } from './note-origin.tsx';

/** A whole note, which can be rewritten or deleted. */
export function NoteDrawer({ path, onClose }: { readonly path: string; readonly onClose: () => void }) {
  const { data, error } = useQuery({
    queryKey: ['note', path],
    queryFn: () => client.call('GET /api/memory/{path}', { params: { path } }),
    gcTime: 0,
  });
  return (
    <Dialog title={path} place="side" onClose={onClose}>
      {error && <Problem error={error} />}
      {!data && !error && <Skeleton label={t`Loading the note`} />}
      {data && <NoteForm note={data} onDone={onClose} />}
      {data && <NoteHistory path={path} onDone={onClose} />}
    </Dialog>
  );
}

type NoteFormProps = { readonly note: Note; readonly onDone: () => void };

function NoteForm({ note: { path, text: stored, origin }, onDone }: NoteFormProps) {
  const queries = useQueryClient();
  const [text, setText] = useState(stored);
  const [asking, setAsking] = useState(false);
  const onSuccess = async () => {
    await queries.invalidateQueries({ queryKey: ['memory'] });
    onDone();
  };
  const write = useMutation({
    mutationFn: () => client.call('PUT /api/memory/{path}', { params: { path }, body: { text } }),
    onSuccess,
  });
  const remove = useMutation({
    mutationFn: () => client.call('DELETE /api/memory/{path}', { params: { path } }),
    onSuccess,
  });
  const error = write.error ?? remove.error;
  return (
    <div className="flex flex-col gap-4">
      <NoteOrigin origin={origin} />
      <textarea
        aria-label={t`Text of ${path}`}
        className="field-sizing-content field min-h-40 w-full p-3 text-reading"
        value={text}
        onChange={(event) => setText(event.target.value)}
      />
      {error && <Problem error={error} />}
      <div className="flex flex-wrap justify-between gap-2">
        <Button
          look="act"
          disabled={(text === stored && origin === 'person') || write.isPending}
          onClick={() => write.mutate()}
        >
          {text === stored && origin !== 'person' ? <Trans>Keep as mine</Trans> : <Trans>Save changes</Trans>}
        </Button>
        <Button look="danger" icon="trash" onClick={() => setAsking(true)}>
          <Trans>Delete the note</Trans>
        </Button>
      </div>
      {asking && (
        <Confirm
          title={t`Delete this note?`}
          action={t`Delete`}
          onConfirm={() => remove.mutate()}
          onClose={() => setAsking(false)}
        >
          <Trans>The agent will not know it any more. You can restore it from the deleted notes.</Trans>
        </Confirm>
      )}
    </div>
  );
}
