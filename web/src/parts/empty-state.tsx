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
    <div className="mx-auto flex max-w-[440px] flex-col items-center gap-1 py-5 text-center">
      <Icon name={icon} className="size-5 text-soft" />
      <h2 className="font-semibold">{title}</h2>
      <div className="text-soft">{children}</div>
    </div>
  );
}
