import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import type { ItemPart } from '@reborn-agent/client/api';
import { download } from '../../client/files.ts';
import { useFileUrl } from '../../client/use-file-url.ts';
import { formatBytes } from '../../format/number.ts';
import { Icon } from '../../parts/icon.tsx';

/** The files of a message: images are shown, others can be opened. All come from the service itself. */
export function SentFiles({ parts }: { readonly parts: readonly ItemPart[] }) {
  const files = parts.filter((part) => part.type !== 'text');
  if (files.length === 0) return null;
  return (
    <ul className="mt-2 flex flex-wrap gap-2">
      {files.map((file, index) => (
        <li key={file.url ?? index} className="min-w-0 max-w-full">
          {file.type === 'image' && file.url ? <SentImage path={file.url} /> : <FileLink file={file} />}
        </li>
      ))}
    </ul>
  );
}

function SentImage({ path }: { readonly path: string }) {
  const url = useFileUrl(path);
  if (!url)
    return (
      <span className="text-meta text-soft">
        <Trans>Image</Trans>
      </span>
    );
  return (
    <a href={url} target="_blank" rel="noopener">
      <img src={url} alt={t`Attached`} className="max-h-48 max-w-full rounded-lg border border-line" />
    </a>
  );
}

function FileLink({ file }: { readonly file: Exclude<ItemPart, { type: 'text' }> }) {
  const shown = file.type === 'file' ? (file.filename ?? t`File`) : t`Image`;
  const words = (
    <>
      <Icon name="file" />{' '}
      <span title={shown} className="min-w-0 truncate">
        {shown}
      </span>{' '}
      <span className="shrink-0 text-soft">{formatBytes(file.bytes)}</span>
    </>
  );
  const look = 'chip min-h-target max-w-full';
  const { url: path } = file;
  const name = file.type === 'file' ? (file.filename ?? undefined) : undefined;
  if (!path) return <span className={look}>{words}</span>;
  return (
    <button type="button" onClick={() => void download(path, name)} className={`${look} hover:bg-hover`}>
      {words}
    </button>
  );
}
