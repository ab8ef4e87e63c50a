import type { ReactNode } from 'react';
import { walkList } from './walk-list.ts';

/** The list of every page: rows that open a drawer, walked with the arrow keys, J and K. */
export function Rows<T>({
  label,
  rows,
  keyOf,
  onOpen,
  children,
}: {
  readonly label: string;
  readonly rows: readonly T[];
  readonly keyOf: (row: T) => string;
  readonly onOpen: (row: T) => void;
  readonly children: (row: T) => ReactNode;
}) {
  return (
    <ul aria-label={label} className="card divide-y divide-line overflow-hidden" onKeyDown={walkList}>
      {rows.map((row) => (
        <li key={keyOf(row)}>
          <button
            type="button"
            onClick={() => onOpen(row)}
            className="flex min-h-14 w-full flex-wrap items-center gap-x-4 gap-y-1 px-4 py-2 text-start hover:bg-hover focus-visible:-outline-offset-2"
          >
            {children(row)}
          </button>
        </li>
      ))}
    </ul>
  );
}
