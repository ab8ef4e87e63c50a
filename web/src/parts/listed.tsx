import type { ReactNode } from 'react';
import { Problem } from './problem.tsx';
import { Skeleton } from './skeleton.tsx';

/** The part below a list's filter: its rows, or why there are none. */
export function Listed<T>({
  rows,
  error,
  onRetry,
  label,
  empty,
  children,
}: {
  readonly rows: readonly T[] | undefined;
  readonly error: unknown;
  readonly onRetry: () => void;
  readonly label: string;
  readonly empty: ReactNode;
  readonly children: (rows: readonly T[]) => ReactNode;
}) {
  if (error) return <Problem error={error} onRetry={onRetry} />;
  if (!rows) return <Skeleton label={label} rows={6} />;
  return rows.length === 0 ? empty : children(rows);
}
