import { type ModelCall, toCountedCall } from '#domain/spending.ts';

/** A batch as the functions take it: one JSON document with numbered entries. */
export function toDocument(entries: readonly object[]): string {
  return JSON.stringify(entries.map((entry, index) => ({ n: index + 1, ...entry })));
}

/** Model calls as `count_calls` takes them. */
export function callFields(calls: readonly ModelCall[]): object {
  return calls.length === 0 ? {} : { calls: calls.map(toCountedCall) };
}
