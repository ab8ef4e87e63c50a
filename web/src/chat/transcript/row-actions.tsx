import { t } from '@lingui/core/macro';
import { type ReactNode, useState } from 'react';
import { IconButton } from '../../parts/button.tsx';

/** They show on hover and focus, and always where there is no hover. */
export function RowActions({ children }: { readonly children: ReactNode }) {
  return (
    <div className="flex opacity-0 transition-opacity group-focus-within:opacity-100 group-hover:opacity-100 touch:opacity-100">
      {children}
    </div>
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
