import { Trans } from '@lingui/react/macro';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { Button } from '../parts/button.tsx';
import { RelativeTime } from '../parts/relative-time.tsx';
import type { FileState } from './use-files.ts';
import { useFilePanel } from './use-panel.ts';

type Props = {
  readonly state: FileState;
  /** The version that the shown one is compared with. */
  readonly compared: FileState | undefined;
  readonly deletedAt: string | undefined;
  /** The row of the transcript that made it. */
  readonly step: string | undefined;
  readonly restorable: FileState | undefined;
  readonly onRestore: (state: FileState) => void;
};

/** What made the version, when, and the way back to it. */
export function FileFooter({ state, compared, deletedAt, step, restorable, onRestore }: Props) {
  return (
    <footer className="flex min-h-11 shrink-0 flex-wrap items-center gap-x-3 border-t border-line px-4 py-1 text-meta text-soft">
      <p className="min-w-0 flex-1">
        {deletedAt ? (
          <Trans>
            Deleted, <RelativeTime time={deletedAt} />
          </Trans>
        ) : compared ? (
          <Trans>
            Compared with version {compared.number}, <RelativeTime time={compared.created_at} />
          </Trans>
        ) : (
          <Maker state={state} step={step} />
        )}
      </p>
      {restorable && (
        <Button look="quiet" onClick={() => onRestore(restorable)}>
          <Trans>Restore version {restorable.number}</Trans>
        </Button>
      )}
    </footer>
  );
}

function Maker({ state, step }: { readonly state: FileState; readonly step: string | undefined }) {
  const time = <RelativeTime time={state.created_at} />;
  switch (state.cause) {
    case 'call':
      return (
        <Trans>
          Made by <ToRow row={step}>a step of the agent</ToRow>, {time}
        </Trans>
      );
    case 'message':
      return (
        <Trans>
          Came with <ToRow row={step}>a message</ToRow>, {time}
        </Trans>
      );
    case 'person':
      return <Trans>Changed by you, {time}</Trans>;
    case 'restore':
      return <Trans>Restored by you, {time}</Trans>;
    case 'copy':
      return <Trans>Copied from another thread, {time}</Trans>;
  }
}

/** A link to the row of the transcript, if it is loaded. */
function ToRow({ row, children }: { readonly row: string | undefined; readonly children?: ReactNode }) {
  const { close } = useFilePanel();
  if (row === undefined) return children;
  const closeOnPhone = () => matchMedia('(width < 800px)').matches && close(); // it is over the transcript there
  return (
    <Link to="." hash={row} className="link" onClick={closeOnPhone}>
      {children}
    </Link>
  );
}
