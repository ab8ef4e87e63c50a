import { Icon } from '../parts/icon.tsx';
import { kindOf, TILES } from './kinds.ts';

/** The kind of a file as a small coloured sign; its words stand beside it. */
export function Tile({ path }: { readonly path: string }) {
  const { icon, className } = TILES[kindOf(path)];
  return (
    <span className={`flex size-8 shrink-0 items-center justify-center rounded-sm ${className}`}>
      <Icon name={icon} />
    </span>
  );
}
