import { t } from '@lingui/core/macro';
import { type ReactNode, useState } from 'react';
import { formatExact, formatTime } from '../../format/time.ts';
import { IconButton } from '../../parts/button.tsx';

/** They show on hover and focus, and always on devices without hover and with `always`. */
export function RowActions({
  children,
  always = false,
  className = '',
}: {
  readonly children: ReactNode;
  readonly always?: boolean;
  readonly className?: string;
}) {
  return (
    <div
      className={`tools min-w-0 ${always ? '' : 'opacity-0 transition-opacity group-focus-within:opacity-100 group-hover:opacity-100 touch:opacity-100'} ${className}`}
    >
      {children}
    </div>
  );
}

/** When a message was said; the exact time on hover. */
export function MessageTime({ at }: { readonly at: string | undefined }) {
  if (at === undefined) return null;
  return (
    <time dateTime={at} title={formatExact(at)} className="whitespace-nowrap px-2 text-meta tabular-nums text-soft">
      {formatTime(at)}
    </time>
  );
}

export function CopyButton({ text }: { readonly text: string }) {
  const [copied, setCopied] = useState(false);
  const copy = async () => {
    await navigator.clipboard.writeText(text);
    setCopied(true);
    setTimeout(() => setCopied(false), 1500);
  };
  return (
    <IconButton icon={copied ? 'check' : 'copy'} label={copied ? t`Copied` : t`Copy`} onClick={() => void copy()} />
  );
}
