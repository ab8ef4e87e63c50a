import { Trans } from '@lingui/react/macro';
import { type ReactNode, useEffect, useState } from 'react';

/** One thing to set: its name and a line about it, and the control at the end. It is saved at once. */
export function Setting({
  name,
  about,
  savedAt,
  inline = false,
  children,
}: {
  readonly name: string;
  readonly about?: string;
  /** When it was saved last, as a number of milliseconds. */
  readonly savedAt?: number | undefined;
  /** The control is small, and stays beside the name on a phone too. */
  readonly inline?: boolean;
  readonly children: ReactNode;
}) {
  return (
    <div className={`flex items-center gap-x-7 gap-y-2 p-3.5 ${inline ? '' : 'flex-wrap'}`}>
      <div className={`min-w-0 flex-1 ${inline ? '' : 'basis-60'}`}>
        <p className="font-medium">
          {name} <Saved at={savedAt} />
        </p>
        {about && <p className="break-words text-meta text-soft">{about}</p>}
      </div>
      <div className={`max-w-full ${inline ? '' : 'max-md:w-full'}`}>{children}</div>
    </div>
  );
}

const SHOWN_MS = 2000;

/** Says for a moment that something was saved. */
export function Saved({ at }: { readonly at: number | undefined }) {
  const [shown, setShown] = useState<number>();
  useEffect(() => {
    if (at === undefined || at === 0) return;
    setShown(at);
    const timer = setTimeout(() => setShown(undefined), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [at]);
  return (
    <span role="status" className="text-meta font-normal text-done">
      {shown !== undefined && shown === at && <Trans>Saved</Trans>}
    </span>
  );
}

/** The card around settings. */
export function Settings({ label, children }: { readonly label: string; readonly children: ReactNode }) {
  return (
    <div role="group" aria-label={label} className="card divide-y divide-line">
      {children}
    </div>
  );
}
