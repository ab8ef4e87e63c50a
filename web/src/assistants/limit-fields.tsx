import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { nameOf, useModels } from '../models/use-models.ts';
import { ChoiceField, TextField } from '../parts/field.tsx';
import { BUDGETS, type Budget, type Draft } from './assistant-draft.ts';

/** Model, tools, skills and budgets, folded: an assistant works without them. */
export function LimitFields({
  draft,
  onChange,
}: {
  readonly draft: Draft;
  readonly onChange: (change: Partial<Draft>) => void;
}) {
  const { data } = useModels();
  const models = data?.models
    .filter(({ id }) => id !== 'default')
    .map((model) => ({ value: model.id, words: nameOf(model) }));
  const isUnknown = draft.model !== '' && !models?.some(({ value }) => value === draft.model);
  return (
    <details>
      <summary className="w-fit link">
        <Trans>Model, tools and budgets</Trans>
      </summary>
      <div className="mt-3 grid gap-3 sm:grid-cols-2">
        <ChoiceField
          label={t`Model`}
          choices={[
            { value: '', words: t`default model` },
            ...(models ?? []),
            ...(isUnknown ? [{ value: draft.model, words: draft.model }] : []),
          ]}
          value={draft.model}
          onChoose={(model) => onChange({ model })}
        />
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
        {BUDGETS.map((name) => (
          <TextField
            key={name}
            label={budgetWords()[name]}
            type="number"
            min="0"
            step={name.startsWith('usd') ? '0.000001' : '1'}
            placeholder={t`no limit`}
            value={draft.budgets[name]}
            onChange={(event) => onChange({ budgets: { ...draft.budgets, [name]: event.target.value } })}
          />
        ))}
      </div>
    </details>
  );
}

const budgetWords = (): Readonly<Record<Budget, string>> => ({
  tokens_per_run: t`Tokens per message`,
  tokens_per_day: t`Tokens per day`,
  usd_per_run: t`US dollars per message`,
  usd_per_day: t`US dollars per day`,
});
