type Schema = Readonly<Record<string, unknown>>;

const CHOICES = ['oneOf', 'anyOf', 'allOf'] as const;

/**
 * A tool's parameters as providers accept them: an object without a choice at the top level, which several of them refuse.
 * The branches become one object with the properties of all; the description says what belongs together, and the tool
 * itself validates its input.
 */
export function toObjectSchema(parameters: Schema | null): Schema {
  const schema: Schema = { type: 'object', properties: {}, ...parameters };
  const branches = CHOICES.flatMap((key) => asSchemas(schema[key]));
  if (branches.length === 0) return schema;

  const rest = without(schema, CHOICES);
  const all = [rest, ...branches];
  const isOpen = branches.some((branch) => branch['additionalProperties'] !== false);
  return {
    ...rest,
    properties: mergeProperties(all.map((part) => part['properties'])),
    required: requiredOf(schema, branches),
    ...(!isOpen && { additionalProperties: false }),
    description: [rest['description'], describeBranches(schema)].filter(Boolean).join(' '),
  };
}

function without(schema: Schema, keys: readonly string[]): Schema {
  return Object.fromEntries(Object.entries(schema).filter(([key]) => !keys.includes(key)));
}

function asSchemas(value: unknown): Schema[] {
  return Array.isArray(value) ? value.filter(isSchema) : [];
}

function isSchema(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A property of several branches: the same in all of them, or one of its forms. */
function mergeProperties(all: readonly unknown[]): Schema {
  const forms = new Map<string, Schema[]>();
  for (const properties of all.filter(isSchema))
    for (const [name, form] of Object.entries(properties))
      if (isSchema(form)) forms.set(name, [...(forms.get(name) ?? []), form]);
  return Object.fromEntries([...forms].map(([name, found]) => [name, mergeForms(found)]));
}

function mergeForms(forms: readonly Schema[]): Schema {
  const [first = {}, ...others] = [...new Map(forms.map((form) => [JSON.stringify(form), form])).values()];
  if (others.length === 0) return first;
  const all = [first, ...others];
  const values = all.map((form) => ('const' in form ? [form['const']] : form['enum']));
  if (!values.every((value) => Array.isArray(value))) return { anyOf: all };
  return { ...without(first, ['const']), enum: [...new Set(values.flat())] };
}

/** The properties that every branch requires; for `allOf`, those that any branch requires. */
function requiredOf(schema: Schema, branches: readonly Schema[]): string[] {
  const lists = branches.map(({ required }) => (Array.isArray(required) ? required.map(String) : []));
  const own = Array.isArray(schema['required']) ? schema['required'].map(String) : [];
  const shared =
    'allOf' in schema ? lists.flat() : (lists[0] ?? []).filter((name) => lists.every((l) => l.includes(name)));
  return [...new Set([...own, ...shared])];
}

function describeBranches(schema: Schema): string {
  const branches = CHOICES.flatMap((key) =>
    Array.isArray(schema[key]) ? `${CHOICE_TEXTS[key]} ${JSON.stringify(schema[key])}` : [],
  );
  return branches.join(' ');
}

const CHOICE_TEXTS = { oneOf: 'It must fit exactly one of', anyOf: 'It must fit one of', allOf: 'It must fit all of' };
