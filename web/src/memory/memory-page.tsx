import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { useQuery } from '@tanstack/react-query';
import { useDeferredValue, useState } from 'react';
import { useServices } from '../app/services.ts';
import { client } from '../client/client.ts';
import { Button } from '../parts/button.tsx';
import { EmptyState } from '../parts/empty-state.tsx';
import { Filter } from '../parts/filter.tsx';
import { Listed } from '../parts/listed.tsx';
import { Page } from '../parts/page.tsx';
import { RelativeTime } from '../parts/relative-time.tsx';
import { Rows } from '../parts/rows.tsx';
import { Settings } from '../parts/setting.tsx';
import { Preference } from '../settings/preference.tsx';
import { DeletedNotes } from './deleted-notes.tsx';
import { NoteDrawer } from './note-drawer.tsx';
import { originWords, UnknownNotes } from './note-origin.tsx';
import { WriteNote } from './write-note.tsx';

/** Page size of the notes list. */
const MOST_NOTES = 100;

/** What the agent has noted down for the person. */
export function MemoryPage() {
  const { me } = useServices();
  const [text, setText] = useState('');
  const [opened, setOpened] = useState<string>();
  const [writing, setWriting] = useState(false);
  const q = useDeferredValue(text.trim());
  const { data, error, refetch } = useQuery({
    queryKey: ['memory', q],
    queryFn: () => client.call('GET /api/memory', { query: { q, limit: MOST_NOTES } }),
    placeholderData: (shown) => shown,
  });
  return (
    <Page
      title={t`Memory`}
      about={t`What the agent noted down. Only you can see it.`}
      actions={
        <>
          <Filter label={t`Search the notes`} value={text} onChange={setText} />
          <Button icon="add" onClick={() => setWriting(true)}>
            <Trans>Write a note</Trans>
          </Button>
        </>
      }
    >
      {data !== undefined && data.of_unknown_origin > 0 && <UnknownNotes count={data.of_unknown_origin} />}
      <Listed
        rows={data?.results}
        error={error}
        onRetry={() => void refetch()}
        label={t`Loading notes`}
        empty={
          <EmptyState icon="memory" title={q ? t`No note fits` : t`No notes yet`}>
            {q ? t`Try other words.` : t`Tell the agent to remember something, and it will be here.`}
          </EmptyState>
        }
      >
        {(notes) => (
          <>
            <Rows label={t`Notes`} rows={notes} keyOf={({ path }) => path} onOpen={({ path }) => setOpened(path)}>
              {(note) => (
                <>
                  <span className="min-w-0 flex-1 basis-full sm:basis-60">
                    <span className="block truncate font-medium">{note.path}</span>
                    <span className="line-clamp-2 break-words text-meta text-soft">{note.text}</span>
                  </span>
                  {note.origin !== 'person' && <span className="text-meta text-soft">{originWords(note.origin)}</span>}
                  <span className="text-meta text-soft">
                    <RelativeTime time={note.updated_at} />
                  </span>
                </>
              )}
            </Rows>
            {notes.length === MOST_NOTES && (
              <p className="text-center text-meta text-soft">
                {q
                  ? t`These are the ${MOST_NOTES} that fit best. Search for the others.`
                  : t`These are the ${MOST_NOTES} newest. Search for the others.`}
              </p>
            )}
          </>
        )}
      </Listed>
      {q === '' && <DeletedNotes />}
      <Settings label={t`Memory`}>
        <Preference
          name={t`Remember new things`}
          about={t`Off: the agent reads the notes that are here, and writes none. Yours you can always write here.`}
          checked={me.preferences.remembers}
          change={(on) => ({ remembers: on })}
        />
      </Settings>
      {opened !== undefined && <NoteDrawer path={opened} onClose={() => setOpened(undefined)} />}
      {writing && (
        <WriteNote
          onClose={() => setWriting(false)}
          onExists={(path) => {
            setWriting(false);
            setOpened(path);
          }}
        />
      )}
    </Page>
  );
}
