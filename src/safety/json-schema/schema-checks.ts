import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';

type Schema = Readonly<Record<string, unknown>>;

const MAX_PROBLEM_CHARACTERS = 1000;

/** Schemas of this length altogether are kept with what was compiled from them. */
const MAX_KEPT_CHARACTERS = 500_000;

let kept = keepNothing();

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
  return shorten(kept.ajv.errorsText(validate.errors, { dataVar: 'answer', separator: '; ' }));
}

/** Without `$schema`: the drafts agree on what requests use, and Ajv refuses the names of drafts that it does not load. */
function compile({ $schema: _, ...schema }: Schema): ValidateFunction {
  const text = JSON.stringify(schema);
  const known = kept.compiled.get(text);
  if (known) return known;
  if (kept.characters + text.length > MAX_KEPT_CHARACTERS) kept = keepNothing();
  kept.characters += text.length;
  try {
    const compiled = kept.ajv.compile(schema);
    kept.compiled.set(text, compiled);
    return compiled;
  } finally {
    kept.ajv.removeSchema(schema); // another schema may have the same `$id`
  }
}

/** Ajv never frees what it has compiled, so it is replaced from time to time. */
function keepNothing() {
  return { ajv: createAjv(), compiled: new Map<string, ValidateFunction>(), characters: 0 };
}

/** Formats such as `email` are annotations. A `$ref` is not copied to its places, because a small schema could grow without bound. */
function createAjv(): Ajv2020 {
  return new Ajv2020({
    strict: false,
    allErrors: true,
    validateFormats: false,
    addUsedSchema: false,
    inlineRefs: false,
    logger: false,
  });
}

const shorten = (problem: string) => problem.slice(0, MAX_PROBLEM_CHARACTERS).toWellFormed();
