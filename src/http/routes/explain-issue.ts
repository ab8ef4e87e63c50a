import { z } from 'zod';

/** Describes what is wrong with a field, as a sentence for the caller; for schema rules that have no message. */
export function explainIssue(issue: z.core.$ZodRawIssue): string {
  const field = issue.path?.join('.') || 'The body';
  switch (issue.code) {
    case 'invalid_type':
      return issue.input === undefined
        ? `${field} is required and must be ${typeName(issue)}.`
        : `${field} must be ${typeName(issue)}.`;
    case 'invalid_value':
      return `${field} must be ${listOf(issue.values)}.`;
    case 'unrecognized_keys':
      return `${field} has unknown fields: ${issue.keys.join(', ')}. Remove them.`;
    case 'too_small':
      if (issue.origin === 'string' && issue.minimum === 1) return `${field} must not be empty.`;
      return `${field} must be ${issue.inclusive === false ? 'more than' : 'at least'} ${issue.minimum}${unitOf(issue.origin)}.`;
    case 'too_big':
      if (issue.origin === 'string') return `${field} may have ${issue.maximum.toLocaleString('en')} characters.`;
      return `${field} must be ${issue.inclusive === false ? 'less than' : 'at most'} ${issue.maximum}${unitOf(issue.origin)}.`;
    case 'invalid_format':
      return `${field} must be ${FORMATS[issue.format] ?? `in the format ${issue.format}`}.`;
    case 'not_multiple_of':
      return `${field} must be a multiple of ${issue.divisor}.`;
    default:
      return `${field} has an invalid form. See /docs for the allowed forms.`;
  }
}

const TYPES: Readonly<Record<string, string>> = {
  object: 'a JSON object',
  record: 'a JSON object',
  array: 'an array',
  string: 'a string',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  null: 'null',
};

/** A schema of whole numbers expects a number first. */
function typeName({ expected, inst }: z.core.$ZodRawIssue<z.core.$ZodIssueInvalidType>): string {
  const name = inst instanceof z.core.$ZodNumberFormat ? 'int' : expected;
  return TYPES[name] ?? `of type ${name}`;
}

const FORMATS: Readonly<Record<string, string>> = {
  uuid: 'a UUID',
  datetime: 'a time in ISO 8601, such as 2026-01-31T12:00:00Z',
  email: 'an e-mail address',
  url: 'an address such as https://example.com',
  base64: 'base64',
};

function listOf(values: readonly unknown[]): string {
  const words = values.map(String);
  return [words.slice(0, -1).join(', '), words.at(-1)].filter(Boolean).join(' or ');
}

const UNITS: Readonly<Record<string, string>> = {
  string: ' characters long',
  array: ' entries long',
  set: ' entries long',
};

const unitOf = (origin: string) => UNITS[origin] ?? '';
