/** What a call is about in a few words: the values it was given, without their names and brackets. */
export function outlineArguments(json: string): string {
  let given: unknown;
  try {
    given = JSON.parse(json);
  } catch {
    return json;
  }
  const values = typeof given === 'object' && given !== null ? Object.values(given) : [given];
  return values.flatMap(wordsOf).join(', ');
}

function wordsOf(value: unknown): string[] {
  if (Array.isArray(value)) return [`${value.length} values`];
  if (typeof value === 'string') return value === '' ? [] : [value];
  if (value === null) return [];
  return typeof value === 'object' ? ['…'] : [JSON.stringify(value)];
}
