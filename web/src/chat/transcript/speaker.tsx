import type { ReactNode } from 'react';

/** Whose words follow; on the right what can be done with them. */
export function Speaker({ name, children }: { readonly name: string; readonly children?: ReactNode }) {
  return (
    <div className="flex min-h-8 items-center justify-between gap-2">
      <h2 className="text-s font-semibold">{name}</h2>
      {children}
    </div>
  );
}
