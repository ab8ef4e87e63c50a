import { areLettersKeys } from '../app/letter-keys.ts';

/**
 * Moves in a list with the arrow keys, J and K, Home and End. Enter opens, because each row begins with a link or a button. Letters
 * don't count while something is typed.
 */
export function walkList(event: React.KeyboardEvent<HTMLElement>): void {
  const { target, key, ctrlKey, metaKey, altKey } = event;
  if (ctrlKey || metaKey || altKey || !(target instanceof HTMLElement)) return;
  if (target.closest('input, textarea, select, [contenteditable], [role=menu], [role=dialog]')) return;
  if (key.length === 1 && !areLettersKeys()) return;
  const stops = [...event.currentTarget.querySelectorAll<HTMLElement>('li, tr')].flatMap((row) => stopOf(row) ?? []);
  const row = target.closest<HTMLElement>('li, tr');
  const at = stops.findIndex((stop) => stop === (row && stopOf(row)));
  const to = { ArrowDown: at + 1, j: at + 1, ArrowUp: at - 1, k: at - 1, Home: 0, End: stops.length - 1 }[key];
  const next = to === undefined ? undefined : stops[to];
  if (!next) return;
  event.preventDefault();
  next.focus();
}

/** The first link or button of a row that is shown, not of a row in it. */
const stopOf = (row: HTMLElement): HTMLElement | undefined =>
  [...row.querySelectorAll<HTMLElement>('a[href], button:enabled')].find(
    (stop) => stop.closest('li, tr') === row && stop.checkVisibility(),
  );
