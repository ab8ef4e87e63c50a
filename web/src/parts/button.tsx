import type { ComponentProps } from 'react';
import { Icon, type IconName } from './icon.tsx';

/** `act` is for what is the person's to decide; a page shows few of them at once. */
type Look = 'act' | 'plain' | 'quiet' | 'danger';

const LOOKS: Record<Look, string> = {
  act: 'bg-ember text-on-ember hover:brightness-110 disabled:bg-hover disabled:text-soft disabled:hover:brightness-100',
  plain: 'border border-edge bg-raised hover:bg-hover disabled:text-soft',
  quiet: 'text-soft hover:bg-hover hover:text-ink',
  danger: 'border border-failed text-failed hover:bg-failed-wash',
};

type Props = ComponentProps<'button'> & { readonly look?: Look; readonly icon?: IconName };

export function Button({ look = 'plain', icon, className = '', children, ...rest }: Props) {
  return (
    <button
      type="button"
      className={`inline-flex min-h-8 items-center justify-center gap-2 rounded px-3 py-1 text-m font-medium transition-colors ${LOOKS[look]} ${className}`}
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
      className={`inline-flex size-8 shrink-0 items-center justify-center rounded text-soft transition-colors hover:bg-hover hover:text-ink disabled:opacity-50 ${className}`}
      {...rest}
    >
      <Icon name={icon} />
    </button>
  );
}
