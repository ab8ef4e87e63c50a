import { t } from '@lingui/core/macro';
import { Link } from '@tanstack/react-router';
import { Icon } from '../parts/icon.tsx';

export function NewThreadLink({ className = '' }: { readonly className?: string }) {
  return (
    <Link
      to="/"
      aria-label={t`New thread`}
      title={t`New thread`}
      className={`inline-flex size-target shrink-0 items-center justify-center rounded text-soft hover:bg-hover hover:text-ink ${className}`}
    >
      <Icon name="add" />
    </Link>
  );
}
