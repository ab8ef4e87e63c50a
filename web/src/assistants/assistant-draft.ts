import type { Assistant, AssistantChange } from '@reborn-agent/client/api';

/** What the form shows, as text. */
export type Draft = Pick<Assistant, 'memory' | 'description'> & {
  readonly name: string;
  readonly everyone: boolean;
  readonly instructions: string;
  readonly model: string;
  readonly tools: string;
  readonly skills: string;
  readonly budgets: Readonly<Record<Budget, string>>;
};

export const BUDGETS = ['tokens_per_run', 'tokens_per_day', 'usd_per_run', 'usd_per_day'] as const;
export type Budget = (typeof BUDGETS)[number];

const NONE = 'none';

export const toDraft = (assistant: Assistant | undefined): Draft => ({
  name: assistant?.name ?? '',
  everyone: assistant?.for === 'everyone',
  description: assistant?.description ?? '',
  instructions: assistant?.instructions ?? '',
  model: assistant?.model ?? '',
  memory: assistant?.memory ?? 'shared',
  tools: toText(assistant?.tools ?? null),
  skills: toText(assistant?.skills ?? null),
  budgets: {
    tokens_per_run: String(assistant?.tokens_per_run ?? ''),
    tokens_per_day: String(assistant?.tokens_per_day ?? ''),
    usd_per_run: String(assistant?.usd_per_run ?? ''),
    usd_per_day: String(assistant?.usd_per_day ?? ''),
  },
});

/** An empty field means no limit. */
export function toBody({ description, instructions, model, memory, tools, skills, budgets }: Draft): AssistantChange {
  const limit = (name: Budget) => (budgets[name] === '' ? null : Number(budgets[name]));
  return {
    description,
    instructions: instructions.trim() === '' ? null : instructions,
    model: model === '' ? null : model,
    memory,
    tools: toNames(tools),
    skills: toNames(skills),
    tokens_per_run: limit('tokens_per_run'),
    tokens_per_day: limit('tokens_per_day'),
    usd_per_run: limit('usd_per_run'),
    usd_per_day: limit('usd_per_day'),
  };
}

const toText = (names: readonly string[] | null) => (names === null ? '' : names.join(', ') || NONE);

function toNames(text: string): string[] | null {
  const names = text.split(',').flatMap((name) => name.trim() || []);
  if (names.length === 1 && names[0] === NONE) return [];
  return names.length > 0 ? names : null;
}
