import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import type { FullProject, ProjectChange } from '@reborn-agent/client/api';
import { useState } from 'react';
import { AssistantField } from '../assistants/assistant-field.tsx';
import { ModelField } from '../models/model-field.tsx';
import { type BudgetDraft, BudgetFields, toBudgetDraft, toBudgets } from '../parts/budget-fields.tsx';
import { Button } from '../parts/button.tsx';
import { TextField } from '../parts/field.tsx';
import { Form } from '../parts/form.tsx';
import { Problem } from '../parts/problem.tsx';
import { Saved } from '../parts/setting.tsx';
import { useChangeProject } from '../threads/use-projects.ts';

type Draft = {
  readonly name: string;
  readonly assistant: string;
  readonly model: string;
  readonly budgets: BudgetDraft;
};

/** The name, the defaults and the budgets of a project, which are each person's own. */
export function ProjectSettings({ project }: { readonly project: FullProject }) {
  const [draft, setDraft] = useState(() => toDraft(project));
  const set = (change: Partial<Draft>) => setDraft({ ...draft, ...change });
  const change = useChangeProject(project.id);
  const isSaved = JSON.stringify(draft) === JSON.stringify(toDraft(project));
  return (
    <Form onSubmit={() => change.mutate(toBody(draft), { onSuccess: (saved) => setDraft(toDraft(saved)) })}>
      <p className="text-soft">
        <Trans>These settings are yours alone, also if the project is shared.</Trans>
      </p>
      <TextField
        label={t`Name of the project`}
        required
        maxLength={100}
        value={draft.name}
        onChange={(event) => set({ name: event.target.value })}
      />
      <div className="grid items-start gap-3 sm:grid-cols-2">
        <AssistantField
          value={draft.assistant}
          onChoose={(assistant) => set({ assistant })}
          hint={t`Answers in new threads of the project.`}
        />
        <ModelField
          value={draft.model}
          onChoose={(model) => set({ model })}
          hint={t`Answers in new threads of the project.`}
        />
        <BudgetFields draft={draft.budgets} onChange={(budgets) => set({ budgets })} />
      </div>
      {change.error && <Problem error={change.error} />}
      <div className="flex items-center gap-3">
        <Button type="submit" look="act" disabled={isSaved || change.isPending}>
          <Trans>Save</Trans>
        </Button>
        <Saved at={change.isSuccess && isSaved ? change.submittedAt : undefined} />
      </div>
    </Form>
  );
}

const toDraft = (project: FullProject): Draft => ({
  name: project.name,
  assistant: project.assistant ?? '',
  model: project.model ?? '',
  budgets: toBudgetDraft(project),
});

const toBody = ({ name, assistant, model, budgets }: Draft): ProjectChange => ({
  name,
  assistant: assistant || null,
  model: model || null,
  ...toBudgets(budgets),
});
