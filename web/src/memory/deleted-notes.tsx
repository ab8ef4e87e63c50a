import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { client } from '../client/client.ts';
import { Button } from '../parts/button.tsx';
import { Confirm } from '../parts/confirm.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { Problem } from '../parts/problem.tsx';
import { RelativeTime } from '../parts/relative-time.tsx';
import { Rows } from '../parts/rows.tsx';
import { Section } from '../parts/section.tsx';
import { NoteHistory } from './note-history.tsx';

/** Notes that were deleted and can be restored. Nothing is shown without any. */
export function DeletedNotes() {
  const [opened, setOpened] = useState<string>();
  const { data } = useQuery({
    queryKey: ['memory', 'deleted'],
    queryFn: () => client.call('GET /api/deleted-notes', { query: { limit: 100 } }),
  });
  if (!data || data.notes.length === 0) return null;
  return (
    <Section title={t`Deleted notes`}>
      <Rows
        label={t`Deleted notes`}
        rows={data.notes}
        keyOf={({ path }) => path}
        onOpen={({ path }) => setOpened(path)}
      >
        {(note) => (
          <>
            <span className="min-w-0 flex-1 basis-40 truncate">{note.path}</span>
            {note.written_by === 'agent' && <span className="text-meta text-soft">{t`by the agent`}</span>}
            <span className="text-meta text-soft">
              <RelativeTime time={note.deleted_at} />
            </span>
          </>
        )}
      </Rows>
      {opened !== undefined && <DeletedNote path={opened} onClose={() => setOpened(undefined)} />}
    </Section>
  );
}

function DeletedNote({ path, onClose }: { readonly path: string; readonly onClose: () => void }) {
  const queries = useQueryClient();
  const [asking, setAsking] = useState(false);
  const erase = useMutation({
    mutationFn: () => client.call('DELETE /api/memory/{path}', { params: { path }, query: { permanent: 'true' } }),
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: ['memory'] });
      onClose();
    },
  });
  return (
    <Dialog title={path} place="side" onClose={onClose}>
      <div className="flex flex-col gap-4">
        {erase.error && <Problem error={erase.error} />}
        <Button look="danger" icon="trash" className="self-start" onClick={() => setAsking(true)}>
          <Trans>Delete for good</Trans>
        </Button>
      </div>
      <NoteHistory path={path} onDone={onClose} />
      {asking && (
        <Confirm
          title={t`Delete this note and its history?`}
          action={t`Delete for good`}
          onConfirm={() => erase.mutate()}
          onClose={() => setAsking(false)}
        >
          <Trans>No version of it stays. This cannot be undone.</Trans>
        </Confirm>
      )}
    </Dialog>
  );
}
