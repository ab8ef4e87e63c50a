import type { ComponentProps } from 'react';
import type { ExtraProps } from 'streamdown';

/** A link that says where it leads, and tells the other side nothing about this page. */
export function MarkdownLink({ href, children }: ComponentProps<'a'> & ExtraProps) {
  if (!href || !/^(https?:|mailto:)/i.test(href)) return <span>{children}</span>;
  return (
    <a
      href={href}
      title={href}
      target="_blank"
      rel="noopener noreferrer nofollow"
      className="break-words underline decoration-edge underline-offset-2 hover:decoration-current"
    >
      {children}
    </a>
  );
}

/** Images in an answer are named, never fetched. */
export function MarkdownImage({ alt }: ComponentProps<'img'> & ExtraProps) {
  return <span className="text-soft">[image: {alt || 'without a description'}]</span>;
}

/** A table scrolls inside itself, also by keyboard. */
export function MarkdownTable({ children }: ComponentProps<'table'> & ExtraProps) {
  return (
    <section aria-label="Table" tabIndex={0} className="max-h-[480px] overflow-auto rounded border border-line">
      <table className="w-full border-collapse">{children}</table>
    </section>
  );
}
