import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { type CSSProperties, useEffect, useRef, useState } from 'react';
import { usePickedFiles } from '../chat/composer/picked-files.tsx';
import { useDroppedFiles } from '../chat/composer/use-dropped-files.ts';
import { Button } from '../parts/button.tsx';
import { EmptyState } from '../parts/empty-state.tsx';
import { Problem } from '../parts/problem.tsx';
import { Skeleton } from '../parts/skeleton.tsx';
import { FileView, type FindStep } from './file-view.tsx';
import { PanelEdge } from './panel-edge.tsx';
import { PanelHeader } from './panel-header.tsx';
import { useFileChanges, useFileList } from './use-files.ts';
import type { Panel } from './use-panel.ts';

type Deleted = { readonly path: string; readonly version: number };

/** The files of a thread, beside it; on a phone, over it. */
export function FilePanel({ panel, findStep }: { readonly panel: Panel; readonly findStep: FindStep }) {
  const { threadId, shown, show, width } = panel;
  const list = useFileList(threadId);
  const { upload, remove, restore } = useFileChanges(threadId);
  const [isWhole, setWhole] = useState(false);
  const picks = usePickedFiles();
  const [deleted, setDeleted] = useState<Deleted>();
  const [problem, setProblem] = useState<unknown>();
  const box = useRef<HTMLElement>(null);
  const files = list.data?.files ?? [];
  const newest = files.toSorted((one, other) => other.version - one.version)[0];
  const path = shown?.path ?? newest?.path;

  const isOffered = shown?.isOffered ?? false;
  useEffect(() => {
    if (!isOffered) box.current?.focus();
  }, [isOffered]);
  useEffect(() => {
    const timer = setTimeout(() => setDeleted(undefined), UNDO_MS);
    return () => clearTimeout(timer);
  }, [deleted]);

  const attempt = async (work: () => Promise<void>) => {
    setProblem(undefined);
    await work().catch(setProblem);
  };
  const uploadAll = () =>
    attempt(async () => {
      for (const { id, file, isOwn } of picks.picked) {
        await upload(file, isOwn);
        picks.remove(id);
        show({ path: file.name });
      }
    });
  const removeShown = (given: string) =>
    attempt(async () => {
      await remove(given);
      setDeleted({ path: given, version: list.data?.version ?? 0 });
      show({ path: files.find((file) => file.path !== given)?.path });
      box.current?.focus();
    });
  const undo = ({ path: given, version }: Deleted) =>
    attempt(async () => {
      await restore(given, version);
      setDeleted(undefined);
      show({ path: given });
      box.current?.focus();
    });
  const over = useDroppedFiles(picks.add, 'panel');

  return (
    <aside
      ref={box}
      tabIndex={-1}
      aria-label={t`Files`}
      data-files={isWhole ? 'whole' : ''}
      style={{ '--files': `${width}px` } as CSSProperties}
      className={`slides fixed inset-0 z-20 flex flex-col bg-raised outline-none ${isWhole ? '' : 'md:relative md:inset-auto md:z-auto md:w-1/2 md:shrink-0 md:border-s md:border-line lg:w-(--files) lg:max-w-[70%] lg:min-w-[400px]'} ${over ? 'border-2 border-dashed border-edge' : ''}`}
    >
      {!isWhole && <PanelEdge panel={panel} box={box} />}
      <PanelHeader
        panel={panel}
        files={files}
        path={path}
        isWhole={isWhole}
        onWhole={setWhole}
        onAdd={picks.choose}
        onRemove={(given) => void removeShown(given)}
      />
      {picks.chooser}
      {picks.picked.length > 0 && (
        <div className="flex flex-col gap-2 border-y border-line p-3">
          {picks.list}
          <Button look="act" className="self-start" onClick={() => void uploadAll()}>
            <Trans>Upload</Trans>
          </Button>
        </div>
      )}
      {(problem ?? list.error) && (
        <div className="p-3">
          <Problem error={problem ?? list.error} />
        </div>
      )}
      {path !== undefined && (
        <FileView key={path} panel={panel} path={path} findStep={findStep} onProblem={setProblem} />
      )}
      {path === undefined && list.isPending && (
        <div className="p-4">
          <Skeleton label={t`Loading the files`} />
        </div>
      )}
      {path === undefined && list.data && (
        <div className="px-4">
          <EmptyState icon="file" title={t`No files yet`}>
            <p className="pb-3">
              <Trans>Files that you add or attach, and files that the agent writes, are kept here in versions.</Trans>
            </p>
            <Button icon="add" onClick={picks.choose}>
              <Trans>Add files</Trans>
            </Button>
          </EmptyState>
        </div>
      )}
      <p role="status" className={deleted ? 'flex items-center gap-3 border-t border-line px-4 py-2 text-meta' : ''}>
        {deleted && (
          <>
            <span className="min-w-0 flex-1 break-words">
              <Trans>{deleted.path} is deleted.</Trans>
            </span>
            <Button onClick={() => void undo(deleted)}>
              <Trans>Undo</Trans>
            </Button>
          </>
        )}
      </p>
    </aside>
  );
}

const UNDO_MS = 8000;
