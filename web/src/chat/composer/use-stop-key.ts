import { type RefObject, useEffect, useEffectEvent } from 'react';

/** What Esc closes first. */
const ABOVE = '[role=dialog], [role=menu], [role=listbox], [data-files]';

/** Esc stops the answer if nothing is open that it closes, and nothing else is being written. */
export function useStopKey(area: RefObject<HTMLTextAreaElement | null>, onStop: (() => void) | undefined): void {
  const press = useEffectEvent((event: KeyboardEvent) => {
    if (event.key !== 'Escape' || !onStop || event.isComposing || document.querySelector(ABOVE)) return;
    const field = event.target instanceof Element && event.target.closest('input, textarea, select, [contenteditable]');
    if (!field || field === area.current) onStop();
  });
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => press(event);
    // Before others close what is open, so that one key does not do both.
    addEventListener('keydown', onKey, { capture: true });
    return () => removeEventListener('keydown', onKey, { capture: true });
  }, []);
}
