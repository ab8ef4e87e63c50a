import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import type { Thread } from '@reborn-agent/client/api';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { CopyButton } from '../chat/transcript/row-actions.tsx';
import { client } from '../client/client.ts';
import { Button } from '../parts/button.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { Problem } from '../parts/problem.tsx';
import { RelativeTime } from '../parts/relative-time.tsx';

/** Makes a thread readable by a link, and ends that. */
export function ShareThread({ thread, onClose }: { readonly thread: Thread; readonly onClose: () => void }) {
  const queries = useQueryClient();
  const params = { id: thread.id };
  const { data, error } = useQuery({
    queryKey: ['shares', thread.id],
    queryFn: () => client.call('GET /api/threads/{id}/share', { params }),
  });
  const [chosen, setChosen] = useState<{ include_tools?: boolean; include_attachments?: boolean }>({});
  const refresh = () => queries.invalidateQueries({ queryKey: ['shares'] });
  const put = useMutation({
    mutationFn: (newLink: boolean) =>
      client.call('PUT /api/threads/{id}/share', { params, body: { ...content, new_link: newLink } }),
    onSuccess: refresh,
  });
  const remove = useMutation({
    mutationFn: () => client.call('DELETE /api/threads/{id}/share', { params }),
    onSuccess: () => {
      put.reset();
      return refresh();
    },
  });
  const share = data?.share ?? undefined;
  const content = {
    include_tools: chosen.include_tools ?? share?.include_tools ?? false,
    include_attachments: chosen.include_attachments ?? share?.include_attachments ?? false,
  };
  const url = put.data?.url ?? data?.url;
  const problem = error ?? put.error ?? remove.error;
  const busy = !data || put.isPending || remove.isPending;
  return (
    <Dialog title={t`Share this thread`} onClose={onClose}>
      <div className="flex flex-col gap-4">
        <p>
          <Trans>
            Anyone with the link can read the messages and answers up to now, without signing in. Newer ones are shown
            when you share the thread again.
          </Trans>
        </p>
        <fieldset className="flex flex-col gap-2">
          <legend className="sr-only">
            <Trans>What else is shown</Trans>
          </legend>
          <Choice
            words={t`Calls of tools, with their arguments and results`}
            checked={content.include_tools}
            onChange={(checked) => setChosen({ ...chosen, include_tools: checked })}
          />
          <Choice
            words={t`Images and files`}
            checked={content.include_attachments}
            onChange={(checked) => setChosen({ ...chosen, include_attachments: checked })}
          />
        </fieldset>
        {problem && <Problem error={problem} />}
        {url && (
          <div className="wash bg-sunken">
            <p>
              <Trans>Anyone with this link can read this thread.</Trans>
            </p>
            <p className="flex items-center gap-2 break-all font-mono text-meta">
              {url} <CopyButton text={url} />
            </p>
          </div>
        )}
        {share && !url && !put.isPending && (
          <p>
            <Trans>The link can’t be shown any more. It works until you make a new one.</Trans>
          </p>
        )}
        {share && (
          <p role="status" className="text-meta text-soft">
            <Trans>
              Last shared <RelativeTime time={share.updated_at} />.
            </Trans>
          </p>
        )}
        <div className="flex flex-wrap justify-end gap-2">
          {share && (
            <>
              <Button look="danger" disabled={busy} onClick={() => remove.mutate()}>
                <Trans>Stop sharing</Trans>
              </Button>
              <Button disabled={busy} onClick={() => put.mutate(true)}>
                <Trans>Make a new link</Trans>
              </Button>
            </>
          )}
          <Button look="act" disabled={busy} onClick={() => put.mutate(false)}>
            {share ? t`Update` : t`Make a link`}
          </Button>
        </div>
      </div>
    </Dialog>
  );
}

function Choice({
  words,
  checked,
  onChange,
}: {
  readonly words: string;
  readonly checked: boolean;
  readonly onChange: (checked: boolean) => void;
}) {
  return (
    <label className="flex items-center gap-2">
      <input type="checkbox" checked={checked} onChange={(event) => onChange(event.target.checked)} />
      {words}
    </label>
  );
}
