import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { ApiError } from '@reborn-agent/client';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { client } from '../client/client.ts';
import { Button } from '../parts/button.tsx';
import { TextArea } from '../parts/field.tsx';
import { Form } from '../parts/form.tsx';
import { Problem } from '../parts/problem.tsx';
import { Saved } from '../parts/setting.tsx';

/** The notes that the agent reads with every turn of this person. */
export function Instructions() {
  return (
    <>
      <p className="text-soft">
        <Trans>
          The agent reads these notes at the start of every turn. They are two notes of your memory; changes apply from
          your next message on.
        </Trans>
      </p>
      <InstructionNote
        path="identity/user"
        label={t`About you`}
        hint={t`Who you are, what you work on, what it should take into account.`}
      />
      <InstructionNote
        path="identity/agent"
        label={t`How it should answer`}
        hint={t`Tone, length, language, and what it should never do. For the operator, this applies to all users.`}
      />
    </>
  );
}

type NoteProps = { readonly path: string; readonly label: string; readonly hint: string };

function InstructionNote({ path, label, hint }: NoteProps) {
  const queries = useQueryClient();
  const stored = useQuery({ queryKey: ['note', path], queryFn: () => readNote(path) });
  const [text, setText] = useState<string>();
  const save = useMutation({
    mutationFn: (next: string) =>
      next.trim() === ''
        ? client.call('DELETE /api/memory/{path}', { params: { path } })
        : client.call('PUT /api/memory/{path}', { params: { path }, body: { text: next } }),
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: ['note', path] });
      await queries.invalidateQueries({ queryKey: ['memory'] });
      setText(undefined);
    },
  });
  const shown = text ?? stored.data ?? '';
  const isChanged = text !== undefined && text !== stored.data;
  return (
    <Form className="flex flex-col gap-2" onSubmit={() => save.mutate(shown)}>
      <TextArea
        label={label}
        hint={hint}
        rows={4}
        value={shown}
        disabled={stored.data === undefined}
        onChange={(event) => setText(event.target.value)}
      />
      {stored.error && <Problem error={stored.error} />}
      {save.error && <Problem error={save.error} />}
      <div className="flex items-center gap-3">
        <Button type="submit" disabled={!isChanged || save.isPending}>
          <Trans>Save</Trans>
        </Button>
        <Saved at={save.isSuccess && !isChanged ? save.submittedAt : undefined} />
      </div>
    </Form>
  );
}

async function readNote(path: string): Promise<string> {
  try {
    return (await client.call('GET /api/memory/{path}', { params: { path } })).text;
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return '';
    throw error;
  }
}
