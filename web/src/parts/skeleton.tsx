/** The shape of what is coming. It shows itself after 200 ms, so that a quick answer does not flicker. */
export function Skeleton({ rows = 4, label }: { readonly rows?: number; readonly label: string }) {
  return (
    <div role="status" aria-label={label} className="skeleton flex flex-col gap-3">
      {Array.from({ length: rows }, (_, row) => (
        <div key={row} className={`h-4 rounded-sm bg-hover ${WIDTHS[row % WIDTHS.length]}`} />
      ))}
    </div>
  );
}

const WIDTHS = ['w-3/4', 'w-11/12', 'w-1/2', 'w-5/6'];
