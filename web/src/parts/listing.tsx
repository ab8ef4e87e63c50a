import type { ReactNode } from 'react';

/** A card with a row for each entry: what it is, and what can be done with it. */
export function Listing<T>({
  label,
  rows,
  keyOf,
  children,
}: {
  readonly label: string;
  readonly rows: readonly T[];
  readonly keyOf: (row: T) => string;
  readonly children: (row: T) => ReactNode;
}) {
  return (
    <ul aria-label={label} className="card divide-y divide-line">
      {rows.map((row) => (
        <li key={keyOf(row)} className="flex min-h-14 flex-wrap items-center gap-x-4 gap-y-2 px-3.5 py-2">
          {children(row)}
        </li>
      ))}
    </ul>
  );
}
