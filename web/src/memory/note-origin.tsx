import { t } from '@lingui/core/macro';
import { Plural, Trans } from '@lingui/react/macro';
import type { Note } from '@reborn-agent/client/api';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { client } from '../client/client.ts';
import { Button } from '../parts/button.tsx';
import { Problem } from '../parts/problem.tsx';

/** Where a note comes from, for its row. */
export function originWords(origin: Exclude<Note['origin'], 'person'>): string {
  return origin === 'foreign' ? t`after reading text by others` : t`of unknown origin`;
}

/** What a note's origin means for the agent. Nothing is said about a note of the person. */
export function NoteOrigin({ origin }: Pick<Note, 'origin'>) {
  if (origin === 'person') return null;
  return (
    <p className="text-meta text-soft">
      {origin === 'foreign' ? (
        <Trans>
          The agent wrote this after reading text by others. When it reads this note, it asks before it acts, as after
          any text by others. If the text is right, keep it as yours.
        </Trans>
      ) : (
        <Trans>
          This note is older than the record of where notes come from. When the agent reads it, it asks before it acts,
          as after text by others. If the text is right, keep it as yours.
        </Trans>
      )}
    </p>
  );
}

/** Offers to keep all notes of unknown origin at once. */
export function UnknownNotes({ count }: { readonly count: number }) {
  const queries = useQueryClient();
  const keep = useMutation({
    mutationFn: () => client.call('POST /api/memory/keep', { body: { all: true } }),
    onSuccess: () => queries.invalidateQueries({ queryKey: ['memory'] }),
  });
  return (
    <section aria-label={t`Notes of unknown origin`} className="flex flex-col gap-3 rounded-lg border border-line p-4">
      <p>
        <Plural
          value={count}
          one="# note is older than the record of where notes come from. The agent treats it like text by others, and asks before it acts on it."
          other="# notes are older than the record of where notes come from. The agent treats them like text by others, and asks before it acts on them."
        />
      </p>
      {keep.error && <Problem error={keep.error} />}
      <Button className="self-start" disabled={keep.isPending} onClick={() => keep.mutate()}>
        <Trans>These are mine</Trans>
      </Button>
    </section>
  );
}
