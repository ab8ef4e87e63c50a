import { t } from '@lingui/core/macro';
import { Plural, Trans } from '@lingui/react/macro';
import type { ForgetNotes, ForgottenNotes, NoteVersion } from '@reborn-agent/client/api';
import { readBeforeNote } from '@reborn-agent/client/gate-card';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { ReadSources } from '../chat/gates/read-sources.tsx';
import { client } from '../client/client.ts';
import { Button } from '../parts/button.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { CheckField } from '../parts/field.tsx';
import { Problem } from '../parts/problem.tsx';
import { Skeleton } from '../parts/skeleton.tsx';

type Props = { readonly version: NoteVersion; readonly onClose: () => void; readonly onDone: () => void };

/** Takes back what the notes hold from where a version came from. What it shows is what happens. */
export function ForgetDialog({ version, onClose, onDone }: Props) {
  const queries = useQueryClient();
  const places = placesOf(version);
  const [place, setPlace] = useState(0);
  const [derived, setDerived] = useState(true);
  const [permanent, setPermanent] = useState(false);
  const from = places[place]?.from;
  const preview = useQuery({
    queryKey: ['memory', 'forget', from, derived, permanent],
    queryFn: () => client.call('POST /api/memory/forget', { body: { from: from ?? {}, derived, permanent } }),
    enabled: from !== undefined,
    gcTime: 0,
  });
  const forget = useMutation({
    mutationFn: (digest: string) =>
      client.call('POST /api/memory/forget', { body: { from: from ?? {}, derived, permanent, digest } }),
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: ['memory'] });
      onDone();
    },
  });
  const error = preview.error ?? forget.error;
  const { data } = preview;
  const isNothing = data?.changed.length === 0 && !(permanent && data.versions > 0);
  return (
    <Dialog title={t`Forget what came from here`} onClose={onClose}>
      <div className="flex flex-col gap-4">
        <fieldset className="flex max-h-40 flex-col gap-1 overflow-y-auto">
          <legend className="mb-1 text-label text-soft">
            <Trans>From</Trans>
          </legend>
          {places.map(({ words }, index) => (
            <label key={index} className="flex min-h-target items-center gap-2">
              <input
                type="radio"
                name="place"
                className="size-4 shrink-0 accent-ink"
                checked={place === index}
                onChange={() => setPlace(index)}
              />
              <span className="min-w-0 break-words">{words}</span>
            </label>
          ))}
        </fieldset>
        <CheckField
          words={t`Also notes that were written after reading such notes`}
          checked={derived}
          onChange={setDerived}
        />
        <CheckField
          words={t`Remove it from the history, too. This cannot be undone.`}
          checked={permanent}
          onChange={setPermanent}
        />
        {error && <Problem error={error} onRetry={() => void preview.refetch()} />}
        {data ? <Preview preview={data} /> : !error && <Skeleton label={t`Looking for notes`} />}
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>
            <Trans>Cancel</Trans>
          </Button>
          <Button
            look="danger"
            disabled={!data || isNothing || forget.isPending}
            onClick={() => data && forget.mutate(data.digest)}
          >
            <Trans>Forget</Trans>
          </Button>
        </div>
      </div>
    </Dialog>
  );
}

type Place = { readonly words: ReactNode; readonly from: ForgetNotes['from'] };

/** Its thread, and each text that the agent had read, the newest first. */
function placesOf({ thread_id: threadId, sources }: NoteVersion): Place[] {
  const thread = { words: <Trans>the thread in which it was written</Trans>, from: { thread_id: threadId ?? '' } };
  const read = sources.toReversed().map((source): Place => {
    const { kind, name } = source;
    return { words: <ReadSources {...readBeforeNote([source])} />, from: { source: { kind, name } } };
  });
  return threadId === null ? read : [thread, ...read];
}

function Preview({ preview: { changed, kept } }: { readonly preview: ForgottenNotes }) {
  return (
    <div className="flex flex-col gap-3">
      <p className="font-medium">
        <Plural value={changed.length} _0="No note changes." one="# note changes:" other="# notes change:" />
      </p>
      <ul aria-label={t`Notes that change`} className="flex max-h-64 flex-col gap-3 overflow-y-auto empty:hidden">
        {changed.map(({ path, text, stays }) => (
          <li key={path} className="min-w-0 text-meta">
            <span className="block break-words font-medium">{path}</span>
            <Line look="bg-failed-wash" text={text} />
            <Line look="bg-done-wash" text={stays?.text ?? null} />
          </li>
        ))}
      </ul>
      {kept.length > 0 && (
        <p className="break-words text-meta text-soft">
          <Trans>Yours, so they stay: {kept.map(({ path }) => path).join(', ')}</Trans>
        </p>
      )}
    </div>
  );
}

const Line = ({ text, look }: { readonly text: string | null; readonly look: string }) => (
  <span className={`line-clamp-3 break-words px-2 ${look}`}>{text ?? <Trans>(deleted)</Trans>}</span>
);
