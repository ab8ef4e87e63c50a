import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { ModelField } from '../models/model-field.tsx';
import { BudgetFields } from '../parts/budget-fields.tsx';
import { TextField } from '../parts/field.tsx';
import type { Draft } from './assistant-draft.ts';

/** Model, tools, skills and budgets, folded: an assistant works without them. */
export function LimitFields({
  draft,
  onChange,
}: {
  readonly draft: Draft;
  readonly onChange: (change: Partial<Draft>) => void;
}) {
  return (
    <details>
      <summary className="w-fit link">
        <Trans>Model, tools and budgets</Trans>
      </summary>
      <div className="mt-3 grid gap-3 sm:grid-cols-2">
        <ModelField value={draft.model} onChoose={(model) => onChange({ model })} />
        <TextField
          label={t`Tools`}
          value={draft.tools}
          placeholder={t`all`}
          onChange={(event) => onChange({ tools: event.target.value })}
          hint={t`Names with commas between them; none for no tools.`}
        />
        <TextField
          label={t`Skills`}
          value={draft.skills}
          placeholder={t`all`}
          onChange={(event) => onChange({ skills: event.target.value })}
          hint={t`Names with commas between them; none for no skills.`}
        />
        <BudgetFields draft={draft.budgets} onChange={(budgets) => onChange({ budgets })} />
      </div>
    </details>
  );
}
