const VARIABLE = /\{\{\s*([\w -]{1,40}?)\s*\}\}/g;

/** The variables of a template, such as `topic` of `Write about {{topic}}.`, each once and in order. */
export function variablesOf(text: string): string[] {
  return [...new Set([...text.matchAll(VARIABLE)].map(([, name = '']) => name))];
}

/** Replaces variables by their values. Others stay as they are. A value is not searched for variables. */
export function fillTemplate(text: string, values: Readonly<Record<string, string>>): string {
  return text.replaceAll(VARIABLE, (variable, name: string) =>
    Object.hasOwn(values, name) ? (values[name] ?? '') : variable,
  );
}

/** Where the first variable at or after `from` is; the first of all if there is none after it. */
export function findVariable(text: string, from: number): { readonly start: number; readonly end: number } | undefined {
  const places = [...text.matchAll(VARIABLE)].map((found) => ({
    start: found.index,
    end: found.index + found[0].length,
  }));
  return places.find(({ start }) => start >= from) ?? places[0];
}
