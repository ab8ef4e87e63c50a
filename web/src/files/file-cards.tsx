import { plural, t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { useState } from 'react';
import { download } from '../client/files.ts';
import { useFileUrl } from '../client/use-file-url.ts';
import { formatBytes } from '../format/number.ts';
import { Button, IconButton } from '../parts/button.tsx';
import { wordsOf } from '../parts/error-words.ts';
import { Icon } from '../parts/icon.tsx';
import { RelativeTime } from '../parts/relative-time.tsx';
import { useBriefDocumentWords } from './document-state.tsx';
import { kindOf, kindWords, nameOf } from './kinds.ts';
import type { PresentedFile } from './presented.ts';
import { Tile } from './tile.tsx';
import { contentPath, useFileChanges, useHistory } from './use-files.ts';
import { useFilePanel } from './use-panel.ts';

const MOST_CARDS = 4;

/** The files that the agent has handed over. */
export function FileCards({ files }: { readonly files: readonly PresentedFile[] }) {
  const [areAllShown, setAllShown] = useState(false);
  if (files.length === 0) return null;
  const shown = files.length > MOST_CARDS && !areAllShown ? [] : files;
  return (
    // Not a landmark: a thread has many of them.
    <div role="group" aria-label={t`Files`} className="@container mt-2">
      {files.length > MOST_CARDS && (
        <button
          type="button"
          aria-expanded={areAllShown}
          onClick={() => setAllShown((before) => !before)}
          className="mb-2 flex min-h-target items-center gap-2 rounded font-medium hover:text-ink"
        >
          <Icon name="file" /> {plural(files.length, { one: '# file', other: '# files' })}
          <Icon name="right" className={areAllShown ? 'rotate-90' : ''} />
        </button>
      )}
      <ul className="grid grid-cols-1 gap-2 @min-[640px]:grid-cols-2">
        {shown.map((file) => (
          <li key={file.path} className={file.isPicture ? 'col-span-full' : ''}>
            <FileCard file={file} />
          </li>
        ))}
      </ul>
    </div>
  );
}

function Picture({
  path,
  version,
  onOpen,
}: {
  readonly path: string;
  readonly version: number;
  readonly onOpen: () => void;
}) {
  const { threadId } = useFilePanel();
  const url = useFileUrl(contentPath(threadId, path, version));
  if (!url) return null;
  return (
    <button type="button" className="mb-2 block max-w-full" onClick={onOpen}>
      <img src={url} alt={t`Open ${nameOf(path)}`} className="max-h-80 max-w-full rounded-lg border border-line" />
    </button>
  );
}

function FileCard({ file: { path, bytes, isPicture, at } }: { readonly file: PresentedFile }) {
  const { threadId, shown, show } = useFilePanel();
  const { data } = useHistory(threadId, path);
  const { restore } = useFileChanges(threadId);
  const words = useBriefDocumentWords(threadId, path);
  const [problem, setProblem] = useState<unknown>();
  const state = data?.states.findLast(({ created_at: made }) => Date.parse(made) <= at) ?? data?.states[0];
  const newest = data?.states.at(-1);
  const isShown = shown?.path === path;
  const facts = [kindWords(kindOf(path)), formatBytes(bytes), state && t`version ${state.number}`].filter(Boolean);
  const about = [words, facts.join(', ')].filter(Boolean).join(' · ');
  const open = () => show({ path, version: state === newest ? undefined : state?.version });
  return (
    <>
      {isPicture && state && <Picture path={path} version={state.version} onOpen={open} />}
      <div
        className={`card flex h-14 items-center gap-3 px-3 has-[[data-name]:hover]:bg-hover ${isShown ? 'border-edge' : ''}`}
      >
        <button
          type="button"
          data-name
          onClick={open}
          className="flex min-w-0 flex-1 items-center gap-3 self-stretch text-start"
        >
          <Tile path={path} />
          <span className="min-w-0">
            <span className="block truncate font-medium" title={path}>
              {nameOf(path)}
            </span>
            <span className="block truncate text-meta text-soft" title={data?.deletedAt ? undefined : about}>
              {data?.deletedAt ? (
                <Trans>
                  Deleted, <RelativeTime time={data.deletedAt} />
                </Trans>
              ) : (
                about
              )}
            </span>
          </span>
        </button>
        {data?.deletedAt && newest ? (
          <Button look="quiet" onClick={() => void restore(path, newest.version).catch(setProblem)}>
            <Trans>Restore</Trans>
          </Button>
        ) : (
          <IconButton
            icon="download"
            label={t`Download ${nameOf(path)}`}
            onClick={() => void download(contentPath(threadId, path, state?.version), nameOf(path))}
          />
        )}
      </div>
      {problem !== undefined && (
        <p role="alert" className="text-meta text-failed">
          {wordsOf(problem)}
        </p>
      )}
    </>
  );
}
