import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { useEffect, useMemo, useState } from 'react';
import { toImageAddress } from '../chat/markdown/draw-diagram.ts';
import { Markdown } from '../chat/markdown/markdown.tsx';
import { PageFrame, withNamespace } from '../chat/markdown/preview.tsx';
import { formatNumber } from '../format/number.ts';
import { Button } from '../parts/button.tsx';
import { endingOf, kindOf, nameOf } from './kinds.ts';
import { readCsv } from './read-csv.ts';
import type { Content } from './use-files.ts';

/** Whether there is more to show of a file than its text. */
export function hasPreview(path: string, { text }: Content): boolean {
  const kind = kindOf(path);
  return text === undefined ? kind === 'picture' : ['table', 'page', 'drawing', 'markdown'].includes(kind);
}

/** What a file shows. Nothing in it runs, and nothing of it is requested from anywhere. */
export function FilePreview({ path, content }: { readonly path: string; readonly content: Content }) {
  const { bytes, text = '' } = content;
  switch (kindOf(path)) {
    case 'table':
      return <TablePreview text={text} />;
    case 'markdown':
      return (
        <div className="p-4">
          <Markdown text={text} streaming={false} frames={false} />
        </div>
      );
    case 'page':
      return <PageFrame key={text} html={text} className="h-full" />;
    case 'drawing':
      return <PicturePreview src={toImageAddress(withNamespace(text))} name={nameOf(path)} />;
    default:
      return <BytesPreview path={path} bytes={bytes} />;
  }
}

/** The browser shows pictures only as pictures, whatever the bytes are. */
function BytesPreview({ path, bytes }: { readonly path: string; readonly bytes: ArrayBuffer }) {
  const [url, setUrl] = useState<string>();
  useEffect(() => {
    const ending = endingOf(path);
    const made = URL.createObjectURL(new Blob([bytes], { type: `image/${ending === 'jpg' ? 'jpeg' : ending}` }));
    setUrl(made);
    return () => URL.revokeObjectURL(made);
  }, [path, bytes]);
  return url && <PicturePreview src={url} name={nameOf(path)} />;
}

function PicturePreview({ src, name }: { readonly src: string; readonly name: string }) {
  const [isWhole, setWhole] = useState(true);
  return (
    <div className="flex h-full flex-col">
      <div
        className={`min-h-0 flex-1 p-4 ${isWhole ? 'flex' : 'overflow-auto'}`}
        style={{ background: CHECKERBOARD }}
        {...(!isWhole && { tabIndex: 0, role: 'group', 'aria-label': name })}
      >
        <img src={src} alt={name} className={isWhole ? 'm-auto max-h-full max-w-full object-contain' : 'max-w-none'} />
      </div>
      <div className="flex justify-end p-2">
        <Button look="quiet" aria-pressed={!isWhole} onClick={() => setWhole((before) => !before)}>
          {isWhole ? t`100 %` : t`Fit`}
        </Button>
      </div>
    </div>
  );
}

/** Behind what is transparent. */
const CHECKERBOARD = 'repeating-conic-gradient(var(--hover) 0 25%, var(--raised) 0 50%) 0 0 / 16px 16px';

const MOST_ROWS = 1000;

function TablePreview({ text }: { readonly text: string }) {
  const { head, rows, isCut } = useMemo(() => readCsv(text, MOST_ROWS), [text]);
  const place = 'border-e border-b border-line px-3 py-1';
  return (
    <>
      <table className="border-separate border-spacing-0 text-meta">
        <thead>
          <tr>
            <td className={`sticky start-0 top-0 z-2 bg-sunken ${place}`} />
            {head.map((cell, column) => (
              <th
                key={column}
                scope="col"
                className={`sticky top-0 z-1 bg-sunken text-start font-semibold whitespace-nowrap ${place}`}
              >
                {cell}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((cells, row) => (
            <tr key={row}>
              <th scope="row" className={`sticky start-0 z-1 bg-sunken text-end font-normal text-soft ${place}`}>
                {row + 1}
              </th>
              {cells.map((cell, column) => (
                <td key={column} className={`max-w-80 truncate ${NUMBER.test(cell) ? 'text-end' : ''} ${place}`}>
                  {cell}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {isCut && (
        <p className="p-3 text-meta text-soft">
          <Trans>The first {formatNumber(MOST_ROWS)} rows are shown. Download the file to see all.</Trans>
        </p>
      )}
    </>
  );
}

const NUMBER = /^[-+−]?[\d.,\u00A0\u202F ]*\d\s?%?$/;
