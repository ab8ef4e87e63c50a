import type { Part } from '../client/shapes.ts';
import { Icon } from '../parts/icon.tsx';
import { formatBytes } from './attachments.ts';

/** The files of a message: images are shown, others can be opened. All come from the service itself. */
export function SentFiles({ parts }: { readonly parts: readonly Part[] }) {
  const files = parts.filter((part) => part.type !== 'text');
  if (files.length === 0) return null;
  return (
    <ul className="mt-2 flex flex-wrap gap-2">
      {files.map((file, index) => (
        <li key={file.url ?? index}>
          {file.type === 'image' && file.url ? (
            <a href={file.url} target="_blank" rel="noopener">
              <img
                src={file.url}
                alt="Attached"
                loading="lazy"
                className="max-h-48 max-w-full rounded border border-line"
              />
            </a>
          ) : (
            <FileLink file={file} />
          )}
        </li>
      ))}
    </ul>
  );
}

function FileLink({ file }: { readonly file: Exclude<Part, { type: 'text' }> }) {
  const words = (
    <>
      <Icon name="file" /> {file.type === 'file' ? (file.filename ?? 'File') : 'Image'}{' '}
      <span className="text-soft">{formatBytes(file.bytes)}</span>
    </>
  );
  const look = 'flex min-h-8 items-center gap-2 rounded border border-line px-2 text-s';
  if (!file.url) return <span className={look}>{words}</span>;
  return (
    <a href={file.url} download className={`${look} hover:bg-hover`}>
      {words}
    </a>
  );
}
