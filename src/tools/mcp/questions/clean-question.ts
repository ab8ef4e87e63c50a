import { isObject } from '#domain/is-object.ts';
import type { Question, QuestionField } from '#domain/tool/question.ts';
import { cleanText } from '../clean-text.ts';

const MAX_FIELDS = 20;
const MAX_OPTIONS = 100;
const MAX_MESSAGE_BYTES = 2000;
const MAX_TEXT_BYTES = 300;
const MAX_URL = 2000;

/** What a server asks, as a person can see it; undefined when it can't be shown. Patterns are left to the server. */
export function cleanQuestion(params: unknown): Question | undefined {
  if (!isObject(params) || typeof params['message'] !== 'string') return undefined;
  const message = cleanText(params['message'], MAX_MESSAGE_BYTES) || 'The server asks for your input.';
  if (params['mode'] === 'url') {
    const url = cleanUrl(params['url']);
    return url === undefined ? undefined : { message, fields: [], url };
  }
  const schema = params['requestedSchema'];
  if (!isObject(schema) || !isObject(schema['properties'])) return undefined;
  const required = Array.isArray(schema['required']) ? schema['required'] : [];
  const entries = Object.entries(schema['properties']);
  const fields = entries.map(([name, field]) => cleanField(name, field, required.includes(name)));
  if (fields.length > MAX_FIELDS || !fields.every((field) => field !== undefined)) return undefined;
  return { message, fields, url: null };
}

/** Only https: the person opens it in a browser. */
function cleanUrl(text: unknown): string | undefined {
  const url = typeof text === 'string' && text.length <= MAX_URL ? URL.parse(text) : null;
  return url?.protocol === 'https:' && !url.username && !url.password ? url.href : undefined;
}

function cleanField(name: string, field: unknown, required: boolean): QuestionField | undefined {
  if (!NAME.test(name) || !isObject(field)) return undefined;
  const type = typeOf(field);
  if (!type) return undefined;
  const options = optionsOf(type === 'choices' ? field['items'] : field);
  if (options.length > MAX_OPTIONS) return undefined;
  const [least, most] = LIMITS[type];
  return {
    name,
    title: shown(field['title']) || name,
    description: shown(field['description']),
    type,
    required,
    options,
    min: numberOf(field[least]),
    max: numberOf(field[most]),
  };
}

const NAME = /^[\w.-]{1,64}$/;

const LIMITS = {
  text: ['minLength', 'maxLength'],
  number: ['minimum', 'maximum'],
  integer: ['minimum', 'maximum'],
  boolean: ['', ''],
  choice: ['', ''],
  choices: ['minItems', 'maxItems'],
} as const;

function typeOf(field: Record<string, unknown>): QuestionField['type'] | undefined {
  const { type } = field;
  if (type === 'string') return optionsOf(field).length > 0 ? 'choice' : 'text';
  if (type === 'array') return optionsOf(field['items']).length > 0 ? 'choices' : undefined;
  return type === 'number' || type === 'integer' || type === 'boolean' ? type : undefined;
}

/** The protocol has three ways to write them. */
function optionsOf(field: unknown): QuestionField['options'] {
  if (!isObject(field)) return [];
  const titled = field['oneOf'] ?? field['anyOf'];
  if (Array.isArray(titled))
    return titled.flatMap((each) =>
      isObject(each) && typeof each['const'] === 'string' ? [option(each['const'], each['title'])] : [],
    );
  const names = Array.isArray(field['enumNames']) ? field['enumNames'] : [];
  const values = Array.isArray(field['enum']) ? field['enum'] : [];
  return values.flatMap((value, index) => (typeof value === 'string' ? [option(value, names[index])] : []));
}

const option = (value: string, label: unknown) => ({ value: value.slice(0, 200), label: shown(label) || shown(value) });
const shown = (text: unknown) => (typeof text === 'string' ? cleanText(text, MAX_TEXT_BYTES).replace(/\s+/g, ' ') : '');
const numberOf = (value: unknown) => (typeof value === 'number' && Number.isFinite(value) ? value : null);
