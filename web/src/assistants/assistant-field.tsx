import { t } from '@lingui/core/macro';
import { ChoiceField } from '../parts/field.tsx';
import { useAssistants } from './use-assistants.ts';

/** Which assistant answers; '' for the usual agent. */
export function AssistantField({
  value,
  onChoose,
  hint,
}: {
  readonly value: string;
  readonly onChoose: (name: string) => void;
  readonly hint?: string;
}) {
  const choices = assistantChoices(useAssistants(), value);
  return <ChoiceField label={t`Assistant`} choices={choices} value={value} onChoose={onChoose} hint={hint} />;
}

/** One that was deleted stays in the list while it is chosen. */
export function assistantChoices(assistants: readonly { readonly name: string }[], chosen: string) {
  const names = assistants.map(({ name }) => name);
  const shown = chosen === '' || names.includes(chosen) ? names : [...names, chosen];
  return [{ value: '', words: t`Usual agent` }, ...shown.map((name) => ({ value: name, words: name }))];
}
