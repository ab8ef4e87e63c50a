import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { ApiError } from '@reborn-agent/client';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { client } from '../client/client.ts';
import { Button } from '../parts/button.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { TextArea, TextField } from '../parts/field.tsx';
import { Form } from '../parts/form.tsx';
import { Problem } from '../parts/problem.tsx';

type Props = {
  readonly text?: string;
  /** `path`: the note that was written, if one was. */
  readonly onClose: (path?: string) => void;
  /** Opens the note instead. Without it, the form says that there is one. */
  readonly onExists?: (path: string) => void;
};

/** A new note. One that is there already is not written over. */
export function WriteNote({ text: given = '', onClose, onExists }: Props) {
  const queries = useQueryClient();
  const [path, setPath] = useState('');
  const [text, setText] = useState(given);
  const write = useMutation({
    mutationFn: async () => {
      const exists = await client.call('GET /api/memory/{path}', { params: { path } }).then(() => true, isMissing);
      if (!exists) await client.call('PUT /api/memory/{path}', { params: { path }, body: { text } });
      return exists;
    },
    onSuccess: async (exists) => {
      await queries.invalidateQueries({ queryKey: ['memory'] });
      if (!exists) onClose(path);
      else onExists?.(path);
    },
  });
  return (
    <Dialog title={t`Write a note`} onClose={() => onClose()}>
      <Form onSubmit={() => write.mutate()}>
        <TextField
          label={t`Path`}
          required
          value={path}
          placeholder="people/ann"
          onChange={(event) => setPath(event.target.value)}
          error={write.data && !onExists ? t`There is a note with this path. Choose another one.` : undefined}
          hint={t`Notes under identity/ are in every prompt; other notes are found by search.`}
        />
        <TextArea
          label={t`Text`}
          required
          rows={6}
          className="text-reading"
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
        {write.error && <Problem error={write.error} />}
        <Button type="submit" look="act" className="self-start" disabled={write.isPending}>
          <Trans>Save note</Trans>
        </Button>
      </Form>
    </Dialog>
  );
}

function isMissing(error: unknown): false {
  if (error instanceof ApiError && error.status === 404) return false;
  throw error;
}
