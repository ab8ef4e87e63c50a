import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { Icon } from '../parts/icon.tsx';
import type { Place } from './places.ts';

/** Links to pages; `markOf` is shown at the end of a line. */
export function PlaceList({
  shown,
  markOf,
}: {
  readonly shown: readonly Place[];
  readonly markOf?: (place: Place) => ReactNode;
}) {
  return (
    <ul>
      {shown.map((place) => (
        <li key={place.to}>
          <Link
            to={place.to}
            className="flex min-h-target items-center gap-3 rounded px-2 hover:bg-hover hover:text-ink"
            activeProps={{ className: 'bg-hover font-medium', 'aria-current': 'page' }}
            inactiveProps={{ className: 'text-soft' }}
          >
            <Icon name={place.icon} />
            <span className="min-w-0 flex-1 truncate">{place.words}</span>
            {markOf?.(place)}
          </Link>
        </li>
      ))}
    </ul>
  );
}
