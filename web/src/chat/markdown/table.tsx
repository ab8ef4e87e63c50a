import { t } from '@lingui/core/macro';
import { type ComponentProps, useRef, useState } from 'react';
import { type ExtraProps, extractTableDataFromElement, tableDataToMarkdown } from 'streamdown';
import { toCsv } from './csv.ts';

/** A table scrolls inside itself, also by keyboard, and can be taken along. */
export function MarkdownTable({ dir, children }: ComponentProps<'table'> & ExtraProps) {
  const table = useRef<HTMLTableElement>(null);
  const copy = (render: (data: ReturnType<typeof extractTableDataFromElement>) => string) => async () => {
    if (table.current) await navigator.clipboard.writeText(render(extractTableDataFromElement(table.current)));
  };
  return (
    <div className="group/table">
      <section
        aria-label={t`Table`}
        tabIndex={0}
        className="relative max-h-[480px] overflow-auto rounded-lg border border-line"
      >
        <table ref={table} dir={dir} className="w-full border-collapse">
          {children}
        </table>
      </section>
      <p className="flex gap-4 pt-1 text-meta text-soft opacity-0 group-focus-within/table:opacity-100 group-hover/table:opacity-100 touch:opacity-100">
        <CopyTable words={t`Copy as Markdown`} onCopy={copy(tableDataToMarkdown)} />
        <CopyTable words={t`Copy as CSV`} onCopy={copy(toCsv)} />
      </p>
    </div>
  );
}

function CopyTable({ words, onCopy }: { readonly words: string; readonly onCopy: () => Promise<void> }) {
  const [copied, setCopied] = useState(false);
  const copy = async () => {
    await onCopy();
    setCopied(true);
    setTimeout(() => setCopied(false), 1500);
  };
  return (
    <button type="button" onClick={() => void copy()} className="rounded py-1 hover:text-ink hover:underline">
      {copied ? t`Copied` : words}
    </button>
  );
}
