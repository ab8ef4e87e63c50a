/** What a call is about, in few words: the values of its arguments. */
export function outlineOf(json: string): string {
  try {
    const parsed: unknown = JSON.parse(json);
    if (typeof parsed !== 'object' || parsed === null) return String(parsed);
    return Object.values(parsed).map(wordOf).filter(Boolean).join(', ');
  } catch {
    return json;
  }
}

function wordOf(value: unknown): string {
  if (typeof value === 'string') return value.replace(/\s+/g, ' ').slice(0, 120);
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  if (Array.isArray(value)) return `${value.length} entries`;
  return value === null ? '' : '…';
}
