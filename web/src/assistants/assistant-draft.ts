import type { Assistant, AssistantChange, AssistantVersion } from '@reborn-agent/client/api';
import { type BudgetDraft, toBudgetDraft, toBudgets } from '../parts/budget-fields.tsx';

/** What the form shows, as text. */
export type Draft = Pick<Assistant, 'memory' | 'description'> & {
  readonly name: string;
  readonly everyone: boolean;
  readonly instructions: string;
  readonly model: string;
  readonly tools: string;
  readonly skills: string;
  readonly budgets: BudgetDraft;
};

/** An assistant, or one of its versions. */
type Saved = AssistantVersion & Partial<Pick<Assistant, 'name' | 'for'>>;

const NONE = 'none';

export const toDraft = (assistant: Saved | undefined): Draft => ({
  name: assistant?.name ?? '',
  everyone: assistant?.for === 'everyone',
  description: assistant?.description ?? '',
  instructions: assistant?.instructions ?? '',
  model: assistant?.model ?? '',
  memory: assistant?.memory ?? 'shared',
  tools: toText(assistant?.tools ?? null),
  skills: toText(assistant?.skills ?? null),
  budgets: toBudgetDraft(assistant),
});

/** An empty field means no limit. */
export function toBody({ description, instructions, model, memory, tools, skills, budgets }: Draft): AssistantChange {
  return {
    description,
    instructions: instructions.trim() === '' ? null : instructions,
    model: model === '' ? null : model,
    memory,
    tools: toNames(tools),
    skills: toNames(skills),
    ...toBudgets(budgets),
  };
}

const toText = (names: readonly string[] | null) => (names === null ? '' : names.join(', ') || NONE);

function toNames(text: string): string[] | null {
  const names = text.split(',').flatMap((name) => name.trim() || []);
  if (names.length === 1 && names[0] === NONE) return [];
  return names.length > 0 ? names : null;
}
