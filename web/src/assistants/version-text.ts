import { t } from '@lingui/core/macro';
import type { AssistantVersion } from '@reborn-agent/client/api';
import { budgetWords } from '../parts/budget-fields.tsx';
import { toDraft } from './assistant-draft.ts';
import { memoryChoices } from './memory-choices.ts';

/** The settings of a version as a text, so that two of them can be compared line by line. */
export function versionText(version: AssistantVersion): string {
  const { description, instructions, model, memory, tools, skills, budgets } = toDraft(version);
  const settings: readonly (readonly [string, string | undefined])[] = [
    [t`What it is for`, description],
    [t`Memory`, memoryChoices().find(({ value }) => value === memory)?.words],
    [t`Model`, model],
    [t`Tools`, tools],
    [t`Skills`, skills],
    ...budgetWords().map(([name, words]) => [words, budgets[name]] as const),
  ];
  const lines = settings.flatMap(([name, value]) => (value ? `${name}: ${value}` : []));
  return [...lines, ...(instructions === '' ? [] : ['', instructions])].join('\n');
}
