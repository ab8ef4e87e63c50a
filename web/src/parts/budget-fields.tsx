import { t } from '@lingui/core/macro';
import { TextField } from './field.tsx';

type Budget = 'tokens_per_run' | 'tokens_per_day' | 'usd_per_run' | 'usd_per_day';

/** The budgets as they are typed; an empty text means no limit. */
export type BudgetDraft = Readonly<Record<Budget, string>>;
type Budgets = Readonly<Record<Budget, number | null>>;

export const toBudgetDraft = (budgets: Budgets | undefined): BudgetDraft =>
  eachBudget((name) => String(budgets?.[name] ?? ''));

export const toBudgets = (draft: BudgetDraft): Budgets =>
  eachBudget((name) => (draft[name] === '' ? null : Number(draft[name])));

/** What a message and a day may cost. */
export function BudgetFields({
  draft,
  onChange,
}: {
  readonly draft: BudgetDraft;
  readonly onChange: (draft: BudgetDraft) => void;
}) {
  return budgetWords().map(([name, words]) => (
    <TextField
      key={name}
      label={words}
      type="number"
      min="0"
      step={name.startsWith('usd') ? '0.000001' : '1'}
      placeholder={t`no limit`}
      value={draft[name]}
      onChange={(event) => onChange({ ...draft, [name]: event.target.value })}
    />
  ));
}

export const budgetWords = (): readonly (readonly [Budget, string])[] => [
  ['tokens_per_run', t`Tokens per message`],
  ['tokens_per_day', t`Tokens per day`],
  ['usd_per_run', t`US dollars per message`],
  ['usd_per_day', t`US dollars per day`],
];

const eachBudget = <T,>(make: (name: Budget) => T): Readonly<Record<Budget, T>> => ({
  tokens_per_run: make('tokens_per_run'),
  tokens_per_day: make('tokens_per_day'),
  usd_per_run: make('usd_per_run'),
  usd_per_day: make('usd_per_day'),
});
