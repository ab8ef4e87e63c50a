import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { escapeInvisible } from '@reborn-agent/client/exact-json';
import { type ComponentProps, type MouseEvent, type ReactNode, use, useMemo, useState } from 'react';
import type { ExtraProps } from 'streamdown';
import { Confirm } from '../../parts/confirm.tsx';
import { CitationChip, useMark } from './citation-chip.tsx';
import { FindUnshown } from './find-unshown.ts';

const LINK = 'break-words link hover:decoration-current';

/** A link that says where it leads, and tells the other side nothing about this page. */
export function MarkdownLink({ href, id, children, ...rest }: ComponentProps<'a'> & ExtraProps) {
  const mark = useMark(href);
  if (mark) return <CitationChip mark={mark} />;
  if (href?.startsWith('#')) return <FootnoteLink {...rest} href={href} id={id} text={children} />;
  if (!href || !/^(https?:|mailto:)/i.test(href)) return <span>{children}</span>;
  return <OutsideLink href={href}>{children}</OutsideLink>;
}

function OutsideLink({ href, children }: { readonly href: string; readonly children: ReactNode }) {
  const findUnshown = use(FindUnshown);
  const unshown = useMemo(() => findUnshown(href), [findUnshown, href]);
  if (unshown !== undefined) return <ComposedLink href={href} unshown={unshown} words={wordsOf(children)} />;
  return (
    <a href={href} title={href} target="_blank" rel="noopener noreferrer nofollow" className={LINK}>
      {children}
    </a>
  );
}

type Composed = { readonly href: string; readonly unshown: number; readonly words: string };

/** The agent wrote the address after it had read text by others, so it may carry data. It is shown in full before it is opened. */
function ComposedLink({ href, unshown, words }: Composed) {
  const [asking, setAsking] = useState(false);
  const address = escapeInvisible(href);
  return (
    <>
      {words !== href && `${words} `}
      <button type="button" className={`${LINK} break-all text-start`} onClick={() => setAsking(true)}>
        {address}
      </button>
      {asking && (
        <Confirm
          title={t`Open this address?`}
          action={t`Open`}
          onConfirm={() => window.open(href, '_blank', 'noopener,noreferrer')}
          onClose={() => setAsking(false)}
        >
          <p dir="ltr" className="mb-3 break-all rounded-lg bg-sunken p-3 font-mono text-meta">
            {escapeInvisible(href.slice(0, unshown))}
            <mark className="rounded-sm border border-waiting bg-waiting-wash px-0.5 font-semibold text-ink">
              {escapeInvisible(href.slice(unshown))}
            </mark>
          </p>
          <p>
            <Trans>
              The agent has written this address after reading text by others. The marked part was not shown before, and
              goes to {new URL(href).host}.
            </Trans>
          </p>
        </Confirm>
      )}
    </>
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
