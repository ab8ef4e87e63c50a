import { Ajv2020 } from 'ajv/dist/2020.js';

type Schema = Readonly<Record<string, unknown>>;

/** Formats such as `email` are annotations. A `$ref` is not copied to its places, because a small schema could grow without bound. */
const ajv = new Ajv2020({
  strict: false,
  allErrors: true,
  validateFormats: false,
  addUsedSchema: false,
  inlineRefs: false,
  logger: false,
});

const MAX_PROBLEM_CHARACTERS = 1000;

/** Why a schema can't be used; undefined when it can. */
export function findSchemaProblem({ schema }: { schema: Schema }): string | undefined {
  try {
    compile(schema);
    return undefined;
  } catch (error) {
    return shorten(error instanceof Error ? error.message : String(error));
  }
}

/** Why a text is not JSON that fits the schema; undefined when it is. */
export function findMisfit({ schema, text }: { schema: Schema; text: string }): string | undefined {
  const validate = compile(schema);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return 'it is not JSON';
  }
  if (validate(value)) return undefined;
  return shorten(ajv.errorsText(validate.errors, { dataVar: 'answer', separator: '; ' }));
}

/** Without `$schema`: the drafts agree on what requests use, and Ajv refuses the names of drafts that it does not load. */
function compile({ $schema: _, ...schema }: Schema) {
  try {
    return ajv.compile(schema);
  } finally {
    ajv.removeSchema(schema); // otherwise the cache keeps it
  }
}

const shorten = (problem: string) => problem.slice(0, MAX_PROBLEM_CHARACTERS).toWellFormed();
