import type { ReactNode } from 'react';

/** Up to four numbers side by side. */
export function Figures({ children }: { readonly children: ReactNode }) {
  return <dl className="grid grid-cols-2 gap-3 md:grid-cols-4">{children}</dl>;
}

export function Figure({ name, value }: { readonly name: string; readonly value: string | number }) {
  return (
    <div className="card p-4">
      <dt className="text-meta text-soft">{name}</dt>
      <dd className="font-semibold tabular-nums">{value}</dd>
    </div>
  );
}
