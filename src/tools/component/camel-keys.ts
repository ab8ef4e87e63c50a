/** A value of the wire with its keys as the code spells them, at every depth. */
export type CamelKeys<T> = T extends readonly (infer Entry)[]
  ? readonly CamelKeys<Entry>[]
  : T extends object
    ? { readonly [Key in keyof T as CamelCase<Key & string>]: CamelKeys<T[Key]> }
    : T;

type CamelCase<Name extends string> = Name extends `${infer Head}_${infer Tail}`
  ? `${Head}${Capitalize<CamelCase<Tail>>}`
  : Name;

export function camelKeys<T>(value: T): CamelKeys<T> {
  return renameKeys(value) as CamelKeys<T>;
}

function renameKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(renameKeys);
  if (typeof value !== 'object' || value === null) return value;

  return Object.fromEntries(Object.entries(value).map(([key, entry]) => [toCamelCase(key), renameKeys(entry)]));
}

function toCamelCase(key: string): string {
  return key.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}
