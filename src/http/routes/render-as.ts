import type { z } from 'zod';

/**
 * The fields of `schema`, in its order, from the fields of `row` with the same names in camelCase; times are in ISO 8601.
 * `made` has the fields that the row does not have like this: the compiler asks for each of them.
 */
export function renderAs<S extends z.ZodObject, Row extends object>(
  schema: S,
  row: Row,
  ...[made]: Made<z.input<S>, Row>
): z.input<S> {
  const fields = Object.keys(schema.shape).flatMap((name) => {
    const value: unknown = made && name in made ? made[name as keyof typeof made] : row[toCamel(name) as keyof Row];
    return value === undefined ? [] : [[name, value instanceof Date ? value.toISOString() : value] as const];
  });
  return Object.fromEntries(fields) as z.input<S>;
}

/** The fields of a body with their names in camelCase, without those that are undefined. */
export function readFields<Body extends object>(body: Body): Read<Body> {
  const given = Object.entries(body).filter(([, value]) => value !== undefined);
  return Object.fromEntries(given.map(([name, value]) => [toCamel(name), value])) as Read<Body>;
}

type Read<Body> = { [Name in keyof Body as Camel<Name>]: Exclude<Body[Name], undefined> };

const toCamel = (name: string) => name.replace(/_(\w)/g, (_match, letter: string) => letter.toUpperCase());

type Made<Wire, Row> =
  {} extends Missing<Wire, Row> ? [made?: Partial<Wire>] : [made: Missing<Wire, Row> & Partial<Wire>];

type Missing<Wire, Row> = {
  [Name in keyof Wire as Camel<Name> extends keyof Row
    ? Rendered<Row[Camel<Name>]> extends Wire[Name]
      ? never
      : Name
    : Name]: Wire[Name];
};

type Camel<Name> = Name extends `${infer First}_${infer Rest}` ? `${First}${Capitalize<Camel<Rest> & string>}` : Name;

type Rendered<Value> = Value extends Date ? string : Value extends readonly (infer Each)[] ? Each[] : Value;
