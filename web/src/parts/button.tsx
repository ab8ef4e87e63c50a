import type { ComponentProps } from 'react';
import { Icon, type IconName } from './icon.tsx';

/** `act` is for what is the person's to decide; a page shows few of them at once. */
type Look = 'act' | 'plain' | 'quiet' | 'danger';

const LOOKS: Record<Look, string> = {
  act: 'bg-ember text-on-ember hover:brightness-110 disabled:bg-hover disabled:text-soft disabled:hover:brightness-100',
  plain: 'border border-rule bg-raised shadow-rest hover:bg-hover disabled:text-soft',
  quiet: 'text-soft hover:bg-hover hover:text-ink',
  danger: 'border border-rule bg-raised text-failed shadow-rest hover:bg-failed-wash',
};

type Props = ComponentProps<'button'> & { readonly look?: Look; readonly icon?: IconName };

export function Button({ look = 'plain', icon, className = '', children, ...rest }: Props) {
  return (
    <button
      type="button"
      className={`inline-flex min-h-target items-center justify-center gap-2 rounded px-3 py-1 text-interface font-medium ${LOOKS[look]} ${className}`}
      {...rest}
    >
      {icon && <Icon name={icon} />}
      {children}
    </button>
  );
}

/** A button that shows only an icon; its label is read out and shown on hover. */
export function IconButton({
  icon,
  label,
  className = '',
  ...rest
}: ComponentProps<'button'> & { readonly icon: IconName; readonly label: string }) {
  return (
    <button
      type="button"
      aria-label={label}
      title={label}
      className={`inline-flex size-target shrink-0 items-center justify-center rounded text-soft hover:bg-hover hover:text-ink disabled:opacity-50 ${className}`}
      {...rest}
    >
      <Icon name={icon} />
    </button>
  );
}
