/**
 * What the arguments of similar calls have in common, one line for each value: it may differ where a parameter holds
 * prose, as far as the prose names no other hosts or addresses, and must be the same everywhere else. With `stays`, prose must be the same, too.
 */
export function shapeOf(argumentsJson: string, prose: 'may differ' | 'stays' = 'may differ'): string {
  const source = argumentsJson.trim() || '{}';
  const value = parsePlain(source);
  if (value === undefined) return `exactly ${JSON.stringify(argumentsJson)}`;
  const lines = Object.entries(value).flatMap(([key, field]) => linesOf(field, join('', key), key, prose));
  return lines.length === 0 ? 'no arguments' : lines.toSorted().join('\n');
}

/** Names of parameters that hold prose. Parameters that decide what a call does, or where, are not among them. */
const PROSE = new Set('text body message content subject title description summary comment note caption'.split(' '));

/** Arguments that parsers could read differently, such as with a duplicate key, have no shape. */
function parsePlain(source: string): object | undefined {
  try {
    const value: unknown = JSON.parse(source);
    return isObject(value) && JSON.stringify(value) === withoutSpace(source) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Whitespace between the tokens of JSON has no meaning. */
const withoutSpace = (source: string) =>
  source.replace(/"(?:[^"\\]|\\.)*"|[ \t\r\n]+/g, (part) => (part.startsWith('"') ? part : ''));

function linesOf(value: unknown, path: string, name: string, prose: 'may differ' | 'stays'): string[] {
  if (Array.isArray(value) && value.length > 0)
    return value.flatMap((element, index) => linesOf(element, `${path}[${index}]`, name, prose));
  if (isObject(value) && Object.keys(value).length > 0)
    return Object.entries(value).flatMap(([key, field]) => linesOf(field, join(path, key), key, prose));
  if (prose === 'may differ' && typeof value === 'string' && PROSE.has(name.toLowerCase()) && !isData(value))
    return [`${path}: any text${describeNames(value)}`];
  return [`${path} = ${JSON.stringify(value)}`];
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function join(path: string, key: string): string {
  const written = /^\w+$/.test(key) ? key : JSON.stringify(key);
  return path === '' ? written : `${path}.${written}`;
}

/** Content other than prose in a prose parameter: JSON, forms, markup and scripts can contain instructions. */
function isData(text: string): boolean {
  return /^\s*([[{<]|#!)/.test(text) || /^[^\s=&]+=[^\s]*$/.test(text);
}

/** A text could send data to a host that it names, so the names are part of the shape. */
function describeNames(prose: string): string {
  const words = prose
    .normalize('NFKC')
    .toLowerCase()
    .split(/[\s()[\]<>"'`|]+/);
  const names = new Set(words.map((word) => word.replace(/[.,;:!?]+$/, '')).filter(isName));
  return names.size === 0 ? '' : ` that names ${[...names].toSorted().join(', ')}`;
}

/** Anything that could be a host, a link or an email address. Browsers accept the ideographic full stop as a dot. */
const isName = (word: string) => /@|:\/\/|[^.。][.。][^.。]/.test(word);
