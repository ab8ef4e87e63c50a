import { t } from '@lingui/core/macro';
import type { ComponentProps, MouseEvent, ReactNode } from 'react';
import type { ExtraProps } from 'streamdown';

const LINK = 'break-words underline decoration-edge underline-offset-2 hover:decoration-current';

/** A link that says where it leads, and tells the other side nothing about this page. */
export function MarkdownLink({ href, id, children, ...rest }: ComponentProps<'a'> & ExtraProps) {
  if (href?.startsWith('#')) return <FootnoteLink {...rest} href={href} id={id} text={children} />;
  if (!href || !/^(https?:|mailto:)/i.test(href)) return <span>{children}</span>;
  return (
    <a href={href} title={href} target="_blank" rel="noopener noreferrer nofollow" className={LINK}>
      {children}
    </a>
  );
}

type FootnoteProps = {
  readonly href: string;
  readonly id: string | undefined;
  readonly text: ComponentProps<'a'>['children'];
  readonly 'aria-label'?: string | undefined;
};

/** From a number to its footnote and back. The address of the page stays, because it names the thread. */
function FootnoteLink({ href, id, text, 'aria-label': label }: FootnoteProps) {
  const jump = (event: MouseEvent) => {
    event.preventDefault();
    const target = event.currentTarget.closest('.prose')?.querySelector<HTMLElement>(`#${CSS.escape(idOf(href))}`);
    target?.scrollIntoView({ block: 'center' });
    target?.setAttribute('tabindex', '-1');
    target?.focus({ preventScroll: true });
  };
  return (
    <a href={href} id={id} aria-label={label ?? t`Footnote ${wordsOf(text)}`} onClick={jump} className={LINK}>
      {text}
    </a>
  );
}

const wordsOf = (text: ReactNode) =>
  [text]
    .flat()
    .filter((part) => typeof part === 'string')
    .join('');

function idOf(href: string): string {
  try {
    return decodeURIComponent(href.slice(1));
  } catch {
    return '';
  }
}
