import { type ReactNode, useId } from 'react';

/** A part of a page below its own heading; `beside` stands at the end of the heading's line. */
export function Section({
  title,
  note,
  beside,
  children,
}: {
  readonly title: string;
  readonly note?: string | undefined;
  readonly beside?: ReactNode;
  readonly children: ReactNode;
}) {
  const id = useId();
  return (
    <section aria-labelledby={id} className="flex min-w-0 flex-col gap-2">
      <div className="flex min-h-7 flex-wrap items-center gap-x-2 gap-y-1">
        <h2 id={id} className="font-semibold">
          {title}
        </h2>
        {note && <span className="text-soft">{note}</span>}
        {beside && <div className="ms-auto flex items-center gap-2">{beside}</div>}
      </div>
      {children}
    </section>
  );
}
