import { t } from '@lingui/core/macro';
import { ChoiceField } from '../parts/field.tsx';
import { DEFAULT_MODEL, nameOf, useModels } from './use-models.ts';

/** Which model answers; '' for the default one. A model that is not offered any more stays in the list. */
export function ModelField({
  value,
  onChoose,
  hint,
}: {
  readonly value: string;
  readonly onChoose: (id: string) => void;
  readonly hint?: string;
}) {
  const { data } = useModels();
  const models = (data?.models ?? [])
    .filter(({ id }) => id !== DEFAULT_MODEL)
    .map((model) => ({ value: model.id, words: nameOf(model) }));
  const isUnknown = value !== '' && !models.some((model) => model.value === value);
  return (
    <ChoiceField
      label={t`Model`}
      choices={[{ value: '', words: t`default model` }, ...models, ...(isUnknown ? [{ value, words: value }] : [])]}
      value={value}
      onChoose={onChoose}
      hint={hint}
    />
  );
}
