import { t } from '@lingui/core/macro';
import { useEffect, useRef, useState } from 'react';
import { Button } from '../../parts/button.tsx';
import { toImageAddress } from './draw-diagram.ts';

const MOST_CHARACTERS = 500_000;

export function isPreviewed(code: string, language: string): boolean {
  return /^(?:html?|svg)$/i.test(language) && code.trim() !== '' && code.length <= MOST_CHARACTERS;
}

/** A page or a drawing that a model wrote. A drawing is an image; a page gets a frame without access to anything. */
export function Preview({ code, language }: { readonly code: string; readonly language: string }) {
  if (language.toLowerCase() === 'svg')
    return (
      <img
        src={toImageAddress(withNamespace(code))}
        alt={t`Preview`}
        className="mx-auto max-h-[480px] max-w-full sheet"
      />
    );
  return <PagePreview html={code} />;
}

/** An image needs the namespace, which a page does not. */
export const withNamespace = (svg: string) =>
  /<svg[^>]*\sxmlns=/i.test(svg) ? svg : svg.replace(/<svg/i, '<svg xmlns="http://www.w3.org/2000/svg"');

function PagePreview({ html }: { readonly html: string }) {
  const [runsScripts, setRunsScripts] = useState(false);
  return (
    <figure className="overflow-hidden card">
      <figcaption className="flex flex-wrap items-center gap-3 border-b border-line bg-sunken px-3 py-1 text-meta text-soft">
        <span className="min-w-0 flex-1">
          {runsScripts
            ? t`Preview with scripts. They have no access to this app, but they can reach the network.`
            : t`Preview without scripts and without network.`}
        </span>
        <Button
          look="quiet"
          onClick={() => setRunsScripts((before) => !before)}
          title={t`Run them only if you trust what is written there.`}
        >
          {runsScripts ? t`Stop scripts` : t`Run scripts`}
        </Button>
      </figcaption>
      <PageFrame key={String(runsScripts)} html={html} runsScripts={runsScripts} className="h-[420px]" />
    </figure>
  );
}

type FrameProps = { readonly html: string; readonly runsScripts?: boolean; readonly className: string };

/** A page in a frame without access to anything, and without scripts unless the person runs them. */
export function PageFrame({ html, runsScripts = false, className }: FrameProps) {
  const frame = useRef<HTMLIFrameElement>(null);
  useEffect(() => {
    const show = ({ source, data }: MessageEvent<unknown>) => {
      const window = frame.current?.contentWindow;
      if (window && source === window && data === 'ready') window.postMessage(withoutHints(html), '*');
    };
    addEventListener('message', show);
    return () => removeEventListener('message', show);
  }, [html]);
  return (
    <iframe
      ref={frame}
      title={t`Preview`}
      sandbox="allow-scripts"
      referrerPolicy="no-referrer"
      src={runsScripts ? '/frames/preview-with-scripts' : '/frames/preview'}
      className={`block w-full border-0 sheet ${className}`}
    />
  );
}

/** Browsers connect to a host that a hint or a link names, in spite of every policy, and a name can carry something away. */
function withoutHints(html: string): string {
  const page = new DOMParser().parseFromString(html, 'text/html');
  for (const element of page.querySelectorAll('link, meta, base, iframe, frame, object, embed')) element.remove();
  for (const link of page.querySelectorAll('a, area'))
    for (const name of ['href', 'xlink:href', 'ping'])
      if (!link.getAttribute(name)?.startsWith('#')) link.removeAttribute(name);
  return `<!doctype html>${page.documentElement.outerHTML}`;
}
