import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import type { PromptTemplate } from '@reborn-agent/client/api';
import { variablesOf } from '@reborn-agent/client/prompt-template';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { client } from '../client/client.ts';
import { Button } from '../parts/button.tsx';
import { TextArea, TextField } from '../parts/field.tsx';
import { Form } from '../parts/form.tsx';
import { Problem } from '../parts/problem.tsx';

const EXAMPLE = '{{topic}}';

/** The texts that a person sends often. */
export function Templates() {
  const queries = useQueryClient();
  const [draft, setDraft] = useState({ name: '', text: '' });
  const { data, error } = useQuery({ queryKey: ['templates'], queryFn: () => client.call('GET /api/templates') });
  const refresh = () =>
    Promise.all(['templates', 'offers'].map((key) => queries.invalidateQueries({ queryKey: [key] })));
  const put = useMutation({
    mutationFn: ({ name, text }: typeof draft) =>
      client.call('PUT /api/templates/{name}', { params: { name }, body: { text } }),
    onSuccess: () => {
      setDraft({ name: '', text: '' });
      return refresh();
    },
  });
  const remove = useMutation({
    mutationFn: (name: string) => client.call('DELETE /api/templates/{name}', { params: { name } }),
    onSuccess: refresh,
  });
  const problem = error ?? put.error ?? remove.error;
  return (
    <>
      <p className="text-meta text-soft">
        <Trans>
          Type / in the message to use one. {EXAMPLE} is a variable, which you fill in there; Tab goes to the next one.
        </Trans>
      </p>
      {problem && <Problem error={problem} />}
      <ul aria-label={t`Prompt templates`} className="divide-y divide-line">
        {data?.templates.map((template) => (
          <TemplateRow
            key={template.name}
            template={template}
            onEdit={() => setDraft({ name: template.name, text: template.text })}
            onDelete={() => remove.mutate(template.name)}
          />
        ))}
        {data?.templates.length === 0 && (
          <li className="text-soft">
            <Trans>None yet.</Trans>
          </li>
        )}
      </ul>
      <Form className="flex flex-col gap-3" onSubmit={() => put.mutate(draft)}>
        <div className="max-w-96">
          <TextField
            label={t`Name of the template`}
            hint={t`Small letters, digits and dashes, such as weekly-report.`}
            value={draft.name}
            required
            pattern="[a-z][a-z0-9\-]{0,39}"
            onChange={(event) => setDraft({ ...draft, name: event.target.value })}
          />
        </div>
        <TextArea
          label={t`Text of the template`}
          rows={3}
          value={draft.text}
          required
          maxLength={20_000}
          onChange={(event) => setDraft({ ...draft, text: event.target.value })}
        />
        <Button type="submit" className="self-start" disabled={put.isPending}>
          <Trans>Save the template</Trans>
        </Button>
      </Form>
    </>
  );
}

function TemplateRow({
  template,
  onEdit,
  onDelete,
}: {
  readonly template: PromptTemplate;
  readonly onEdit: () => void;
  readonly onDelete: () => void;
}) {
  const variables = variablesOf(template.text);
  return (
    <li className="flex flex-wrap items-center gap-3 py-2">
      <span className="min-w-0 flex-1 basis-48">
        <span className="block truncate font-medium">/{template.name}</span>
        <span className="block truncate text-meta text-soft">
          {variables.length > 0 && `${variables.join(', ')}: `}
          {template.text}
        </span>
      </span>
      <Button look="quiet" aria-label={t`Edit ${template.name}`} onClick={onEdit}>
        <Trans>Edit</Trans>
      </Button>
      <Button look="quiet" aria-label={t`Delete ${template.name}`} onClick={onDelete}>
        <Trans>Delete</Trans>
      </Button>
    </li>
  );
}
