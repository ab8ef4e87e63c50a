import type { Wanted } from './run-rules.ts';

const ids = new WeakMap<ReadonlyMap<string, string>, number>();
let lastId = 0;

/** Gives the values a number, by which a worker finds the search that it has made for them. */
export function wantedOf(values: ReadonlyMap<string, string>): Wanted {
  const id = ids.get(values) ?? ++lastId;
  ids.set(values, id);
  return { id, values };
}
