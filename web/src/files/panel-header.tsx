import { t } from '@lingui/core/macro';
import { pathOf } from '@reborn-agent/client';
import { download } from '../client/files.ts';
import { IconButton } from '../parts/button.tsx';
import { Icon } from '../parts/icon.tsx';
import { Menu } from '../parts/menu.tsx';
import { kindOf, nameOf, TILES } from './kinds.ts';
import { Tile } from './tile.tsx';
import { contentPath, type ThreadFile } from './use-files.ts';
import type { Panel } from './use-panel.ts';

type Props = {
  readonly panel: Panel;
  readonly files: readonly ThreadFile[];
  readonly path: string | undefined;
  readonly isWhole: boolean;
  readonly onWhole: (isWhole: boolean) => void;
  readonly onAdd: () => void;
  readonly onRemove: (path: string) => void;
};

/** The name of the file as a menu of all files, and what can be done with them. */
export function PanelHeader({ panel, files, path, isWhole, onWhole, onAdd, onRemove }: Props) {
  const { threadId, shown, show, close } = panel;
  const isKept = files.some((file) => file.path === path);
  const archive = pathOf('GET /api/threads/{id}/files.zip', { params: { id: threadId } });
  const saved = path !== undefined && (shown?.version !== undefined || isKept) ? path : undefined;
  return (
    <header className="flex h-header shrink-0 items-center gap-1 ps-4 pe-2">
      {path === undefined ? (
        <h2 className="flex-1 font-semibold">{t`Files`}</h2>
      ) : (
        <>
          <Tile path={path} />
          <h2 className="min-w-0 flex-1">
            <Menu
              trigger={
                <button
                  type="button"
                  className="flex min-h-target max-w-full items-center gap-2 rounded px-2 font-semibold hover:bg-hover"
                  title={path}
                >
                  <span className="truncate">{nameOf(path)}</span>
                  <Icon name="down" className="text-soft" />
                </button>
              }
              entries={files.map((file) => ({
                words: file.path,
                icon: TILES[kindOf(file.path)].icon,
                chosen: file.path === path,
                onChoose: () => show({ path: file.path }),
              }))}
            />
          </h2>
        </>
      )}
      {saved !== undefined && (
        <IconButton
          icon="download"
          label={t`Download`}
          onClick={() => void download(contentPath(threadId, saved, shown?.version), nameOf(saved))}
        />
      )}
      <IconButton icon="add" label={t`Add files`} onClick={onAdd} />
      {files.length > 0 && (
        <Menu
          trigger={<IconButton icon="more" label={t`More`} />}
          entries={[
            { words: t`Download all`, icon: 'archive', onChoose: () => void download(archive, 'files.zip') },
            ...(isKept && path !== undefined
              ? [{ words: t`Delete`, icon: 'trash' as const, danger: true, onChoose: () => onRemove(path) }]
              : []),
          ]}
        />
      )}
      <IconButton
        icon="expand"
        label={t`Full screen`}
        aria-pressed={isWhole}
        className="max-md:hidden"
        onClick={() => onWhole(!isWhole)}
      />
      <IconButton icon="close" label={t`Close`} onClick={close} />
    </header>
  );
}
