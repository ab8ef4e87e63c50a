import { InvalidRequest } from '../errors.ts';

/** What a server asks a person before it can finish a call: the fields of a form, or an address to open. */
export type Question = {
  readonly message: string;
  readonly fields: readonly QuestionField[];
  /** The person opens it, and says when they are done there. */
  readonly url: string | null;
};

export type QuestionField = {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly type: 'text' | 'number' | 'integer' | 'boolean' | 'choice' | 'choices';
  readonly required: boolean;
  /** Of a choice. */
  readonly options: readonly { readonly value: string; readonly label: string }[];
  /** The least and greatest number, length or count of choices. */
  readonly min: number | null;
  readonly max: number | null;
};

/** The values of a form by field. */
export type QuestionInput = Readonly<Record<string, string | number | boolean | readonly string[]>>;

const MAX_TEXT = 4000;

/** Refuses values that the question does not ask for. The server checks them again, and more closely. */
export function checkInput(
  { fields }: Pick<Question, 'fields'>,
  input: Readonly<Record<string, unknown>>,
): QuestionInput {
  const unknown = Object.keys(input).find((name) => fields.every((field) => field.name !== name));
  if (unknown !== undefined) throw invalid(unknown, 'is not asked for');
  for (const field of fields) {
    const value = Object.hasOwn(input, field.name) ? input[field.name] : undefined;
    if (value === undefined && !field.required) continue;
    const problem = value === undefined ? 'is missing' : problemOf(field, value);
    if (problem !== undefined) throw invalid(field.name, problem);
  }
  return input as QuestionInput; // each value was checked
}

function problemOf(field: QuestionField, value: unknown): string | undefined {
  switch (field.type) {
    case 'boolean':
      return typeof value === 'boolean' ? undefined : 'must be true or false';
    case 'number':
    case 'integer':
      if (typeof value !== 'number' || !Number.isFinite(value)) return 'must be a number';
      if (field.type === 'integer' && !Number.isInteger(value)) return 'must be a whole number';
      return rangeProblem(field, value, '');
    case 'text':
      if (typeof value !== 'string' || value.length > MAX_TEXT) return `must be a text of up to ${MAX_TEXT} characters`;
      return rangeProblem(field, value.length, ' characters');
    case 'choice':
      return isOption(field, value) ? undefined : 'must be one of the choices';
    case 'choices':
      if (!Array.isArray(value) || !value.every((each) => isOption(field, each))) return 'must be some of the choices';
      return rangeProblem(field, value.length, ' choices');
  }
}

const isOption = ({ options }: QuestionField, value: unknown) => options.some((option) => option.value === value);

function rangeProblem({ min, max }: QuestionField, size: number, unit: string): string | undefined {
  if (min !== null && size < min) return `must have at least ${min}${unit}`;
  return max !== null && size > max ? `may have at most ${max}${unit}` : undefined;
}

const invalid = (name: string, problem: string) =>
  new InvalidRequest('invalid_request', `input.${name.slice(0, 64)}`, `${name.slice(0, 64)} ${problem}.`);
