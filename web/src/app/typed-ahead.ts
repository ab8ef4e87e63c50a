import { useEffect } from 'react';

/** A palette that never comes must not eat what is typed. */
const PATIENCE_MS = 3000;

let typed: string | undefined;

/** What was typed between Ctrl K and the palette, which loads its program first. */
export const readTypedAhead = (): string => typed ?? '';

export function endTypedAhead(): void {
  typed = undefined;
}

/** Keeps the letters after Ctrl K for the palette, so that they don't go to where the focus still is. */
export function useTypedAhead(): void {
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout>;
    const onKey = (event: KeyboardEvent) => {
      const isMod = event.ctrlKey || event.metaKey;
      if (isMod && event.key.toLowerCase() === 'k' && !document.querySelector('[role=dialog]')) {
        typed = '';
        clearTimeout(timer);
        timer = setTimeout(endTypedAhead, PATIENCE_MS);
      } else if (typed !== undefined && !isMod && !event.altKey && event.key.length === 1) {
        typed += event.key;
        event.preventDefault();
      }
    };
    addEventListener('keydown', onKey, { capture: true });
    return () => removeEventListener('keydown', onKey, { capture: true });
  }, []);
}
