import type { Wanted } from './run-rules.ts';

const ids = new WeakMap<ReadonlyMap<string, string>, number>();
let lastId = 0;

/** Numbers the values, so that a worker can find the search it has built for them. */
export function wantedOf(values: ReadonlyMap<string, string>): Wanted {
  const id = ids.get(values) ?? ++lastId;
  ids.set(values, id);
  return { id, values };
}
