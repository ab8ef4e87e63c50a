/** The params of a tool's JSON Schema that are named like a secret, as paths: a model must never be asked for one. */
export function secretLikeParams(schema: unknown): string[] {
  return [...new Set(search(schema, '', 0))];
}

const MAX_DEPTH = 64;

function* search(schema: unknown, path: string, depth: number): Generator<string> {
  if (typeof schema !== 'object' || schema === null || depth > MAX_DEPTH) return;

  for (const [keyword, value] of Object.entries(schema)) {
    if (HOLDS_DATA.has(keyword)) continue;
    if (keyword === 'properties') yield* searchProperties(value, path, depth);
    else yield* search(value, path, depth + 1);
  }
}

function* searchProperties(properties: unknown, path: string, depth: number): Generator<string> {
  if (typeof properties !== 'object' || properties === null) return;

  for (const [name, schema] of Object.entries(properties)) {
    const fieldPath = path === '' ? name : `${path}.${name}`;
    if (isSecretName(name) || isPasswordField(schema)) yield fieldPath;
    yield* search(schema, fieldPath, depth + 1);
  }
}

/** Examples and the like may look like schemas, and are none. */
const HOLDS_DATA = new Set(['const', 'default', 'enum', 'example', 'examples', 'required']);

function isPasswordField(schema: unknown): boolean {
  return typeof schema === 'object' && schema !== null && 'format' in schema && schema.format === 'password';
}

function isSecretName(name: string): boolean {
  const words = name
    .replace(/([a-z\d])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .replace(/[^a-z\d]+/g, ' ');
  return SECRET.test(words) && !HARMLESS.test(words);
}

const SECRET =
  /\b(tokens?|jwt|bearer|passwords?|passwd|pwd|pass(phrase|code|word)?|secrets?|credentials?|authorization|cookies?|(api|access|private|secret|auth|signing|encryption) ?keys?|(api|access|private)keys?)\b/;

/** Tokens that count words or turn pages. */
const HARMLESS =
  /\b((max|min|num|total|count|input|output|prompt|completion|page|next|continuation|sync|cursor|delta|skip) (\w+ )*tokens?|tokens? (count|limit|budget|usage|size)|tokens)\b/;
