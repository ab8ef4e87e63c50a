import type { Client } from '@reborn-agent/client';
import type { GateAnswer, OpenGate } from '@reborn-agent/client/api';
import { type AskedCall, answerOf, describeRule, rulesOf } from '@reborn-agent/client/gate-card';
import type { Drafts } from './drafts.ts';
import { FROM_NOW_ON } from './entries.ts';
import { giveSecret } from './give-secret.ts';
import { oneLine } from './screen/printable.ts';
import type { Screen } from './screen/screen.ts';

type Means = {
  readonly client: Client;
  readonly screen: Screen;
  readonly drafts: Pick<Drafts, 'whileSending'>;
  readonly say: (text: string) => void;
};

/**
 * Answers what a thread waits for by one of the keys of the gate, for the calls that are ticked. What was answered, in a word;
 * undefined when the person went back.
 */
export async function answerGate(
  means: Means,
  gate: OpenGate,
  key: string,
  ticked: readonly AskedCall[],
): Promise<string | undefined> {
  const answer = await answerFor(means, gate, key, ticked);
  if (!answer) return undefined;
  if (gate.kind === 'auth' && answer.answer === 'approve' && !(await provide(means, gate))) return undefined;
  const call = { params: { id: gate.id }, body: answer };
  await means.drafts.whileSending(answer.reason ?? '', () => means.client.call('POST /api/gates/{id}', call));
  if (gate.question && answer.answer === 'approve') return 'answered';
  if (answer.answers) return `approved ${ticked.length} of ${gate.calls.length}`;
  if (answer.only) return `${FROM_NOW_ON} in this mission`;
  return answer.reason ? `denied: ${answer.reason}` : WORDS[answer.answer ?? 'deny'];
}

const WORDS = { approve: 'approved', always: `${FROM_NOW_ON} for calls like it`, deny: 'denied' } as const;

async function answerFor(
  { screen }: Means,
  gate: OpenGate,
  key: string,
  ticked: readonly AskedCall[],
): Promise<GateAnswer | undefined> {
  if (key === 'y' && gate.question) {
    const input = await fillIn(screen, gate.question.fields);
    return input && { answer: 'approve', input };
  }
  if (key === 'y' && gate.kind === 'approval') return answerOf(gate, new Set(ticked.map(({ call_id: id }) => id)));
  if (key === 'y') return { answer: 'approve' };
  if (key === 'a') return pickRule(screen, gate);
  const reason = await screen.ask('Why not? The model reads the reason. (Enter denies, Esc goes back)');
  return reason === undefined ? undefined : { answer: 'deny', ...(reason && { reason }) };
}

/** Rules in words, narrowest first. */
async function pickRule(screen: Screen, gate: OpenGate): Promise<GateAnswer | undefined> {
  const rules = rulesOf(gate);
  const choices = rules.map((rule) => ({
    value: rule.kind,
    label: oneLine(describeRule(rule, gate)),
    description: '',
  }));
  const picked = await screen.pick(
    'Which calls run from now on without a question? (Enter chooses, Esc goes back)',
    choices,
  );
  return rules.find(({ kind }) => kind === picked)?.answer;
}

type Question = NonNullable<OpenGate['question']>;
type Input = Record<string, NonNullable<GateAnswer['input']>[string]>;

/** Asks for one field after the other. Undefined when the person went back. */
async function fillIn(screen: Screen, fields: Question['fields']): Promise<Input | undefined> {
  const input: Input = {};
  for (const field of fields) {
    const value = await askField(screen, field);
    if (value === undefined) return undefined;
    if (value !== '') input[field.name] = value;
  }
  return input;
}

/** The value of a field; an empty text to leave it out. */
async function askField(screen: Screen, field: Question['fields'][number]): Promise<Input[string] | undefined> {
  const about = oneLine([field.title, field.description].filter(Boolean).join(': '));
  const hint = `${about}${field.required ? '' : ' (optional)'}`;
  if (field.type === 'boolean' || field.type === 'choice') {
    const options = field.type === 'boolean' ? YES_NO : field.options;
    const none = field.required ? [] : [{ value: '', label: 'leave it out' }];
    const shown = [...options, ...none].map(({ value, label }) => ({ value, label: oneLine(label), description: '' }));
    const picked = await screen.pick(`${hint} (Enter chooses, Esc goes back)`, shown);
    return field.type === 'boolean' && picked ? picked === 'yes' : picked;
  }
  const choices = field.options.map(({ value }) => oneLine(value)).join(', ');
  const text = await screen.ask(
    `${hint}${choices && `, some of: ${choices}, with commas`} (Enter continues, Esc goes back)`,
  );
  if (text === undefined || text.trim() === '') return text?.trim();
  if (field.type === 'choices') return text.split(',').map((each) => each.trim());
  return field.type === 'text' ? text : Number(text);
}

const YES_NO = [
  { value: 'yes', label: 'yes' },
  { value: 'no', label: 'no' },
];

const provide = ({ client, screen, say }: Means, gate: OpenGate) =>
  giveSecret({ client, say, askSecret: (question) => screen.askSecret(`${question} (hidden, Esc goes back)`) }, gate);
