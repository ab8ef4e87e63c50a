import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { ApiError } from '@reborn-agent/client';
import type { Skill } from '@reborn-agent/client/api';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useServices } from '../app/services.ts';
import { client } from '../client/client.ts';
import { Button } from '../parts/button.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { ChoiceField, TextArea, TextField } from '../parts/field.tsx';
import { Form } from '../parts/form.tsx';
import { Problem } from '../parts/problem.tsx';
import { readFolder } from './read-folder.ts';

type From = 'text' | 'folder';
type Props = { readonly edited?: Skill; readonly onClose: () => void };

/** A skill is written here, or comes as a folder. One that is edited keeps its other files. */
export function AddSkill({ edited, onClose }: Props) {
  const { me } = useServices();
  const queries = useQueryClient();
  const [from, setFrom] = useState<From>('text');
  const [text, setText] = useState(edited?.files[0]?.text ?? TEMPLATE);
  const [folder, setFolder] = useState<readonly File[]>([]);
  const [holder, setHolder] = useState<'me' | 'everyone'>(edited?.source === 'everyone' ? 'everyone' : 'me');
  const add = useMutation({
    mutationFn: async (replace: boolean) => {
      const written = [{ path: 'SKILL.md', text }, ...(edited?.files.slice(1) ?? [])];
      const files = from === 'text' ? written : await readFolder(folder);
      return client.call('POST /api/skills', { body: { files, for: holder, replace } });
    },
    onSuccess: async () => {
      await Promise.all(['skills', 'skill'].map((key) => queries.invalidateQueries({ queryKey: [key] })));
      onClose();
    },
  });
  const exists = add.error instanceof ApiError && add.error.code === 'already_exists';
  const edit =
    <T,>(set: (value: T) => void) =>
    (value: T) => {
      set(value);
      add.reset();
    };
  return (
    <Dialog title={edited ? t`Edit ${edited.name}` : t`Add a skill`} onClose={onClose}>
      <Form onSubmit={() => add.mutate(edited !== undefined)}>
        {!edited && (
          <ChoiceField label={t`Where it comes from`} choices={origins()} value={from} onChoose={edit(setFrom)} />
        )}
        {from === 'text' ? (
          <TextArea
            label="SKILL.md"
            required
            rows={12}
            className="font-mono text-meta"
            value={text}
            onChange={(event) => edit(setText)(event.target.value)}
            hint={t`The lines at the top say what it is called, and when it is worth reading.`}
          />
        ) : (
          <TextField
            label={t`Folder`}
            type="file"
            required
            ref={(input) => input?.setAttribute('webkitdirectory', '')}
            onChange={(event) => edit(setFolder)([...(event.target.files ?? [])])}
            hint={t`It must contain a SKILL.md. Hidden files and files that are not text are left out.`}
          />
        )}
        {!edited && me.role === 'operator' && (
          <ChoiceField label={t`Whose agent reads it`} choices={holders()} value={holder} onChoose={edit(setHolder)} />
        )}
        {add.error && <Problem error={add.error} />}
        <div className="flex flex-wrap gap-2">
          <Button type="submit" look={exists ? 'plain' : 'act'} disabled={add.isPending || exists}>
            {edited ? t`Save changes` : t`Add`}
          </Button>
          {exists && (
            <Button look="act" disabled={add.isPending} onClick={() => add.mutate(true)}>
              <Trans>Replace it</Trans>
            </Button>
          )}
        </div>
      </Form>
    </Dialog>
  );
}

const origins = () =>
  [
    { value: 'text', words: t`Written here` },
    { value: 'folder', words: t`A folder on this device` },
  ] as const;

const holders = () =>
  [
    { value: 'me', words: t`Mine` },
    { value: 'everyone', words: t`Everyone's` },
  ] as const;

const TEMPLATE = `---
name: release-notes
description: How we write release notes. Read it before writing any.
---
- The newest first.
- One line for each change that a customer notices.
`;
