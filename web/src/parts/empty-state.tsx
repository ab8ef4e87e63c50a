import type { ReactNode } from 'react';
import { Icon, type IconName } from './icon.tsx';

/** What a page says when it has nothing to show: what would be here, and how it gets here. */
export function EmptyState({
  icon,
  title,
  children,
}: {
  readonly icon: IconName;
  readonly title: string;
  readonly children: ReactNode;
}) {
  return (
    <div className="mx-auto flex max-w-[440px] flex-col items-center gap-2 py-16 text-center">
      <Icon name={icon} className="mb-2 size-8 text-soft" />
      <h2 className="text-l font-semibold">{title}</h2>
      <div className="text-m text-soft">{children}</div>
    </div>
  );
}
