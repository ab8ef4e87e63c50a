import { useEffect } from 'react';

/** A palette that never comes must not eat what is typed. */
const PATIENCE_MS = 3000;

type TypedAhead = { readonly text: string; readonly isEntered: boolean };

const NOTHING: TypedAhead = { text: '', isEntered: false };

let typed: TypedAhead | undefined;

/** Returns what was typed between Ctrl K and the palette, which loads its program first. From now on the palette gets the keys itself. */
export function takeTypedAhead(): TypedAhead {
  const taken = typed ?? NOTHING;
  typed = undefined;
  return taken;
}

/** Keeps the keys after Ctrl K for the palette, so that they don't go to where the focus still is. */
export function useTypedAhead(): void {
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout>;
    const onKey = (event: KeyboardEvent) => {
      const isMod = event.ctrlKey || event.metaKey;
      if (isMod && event.key.toLowerCase() === 'k' && !document.querySelector('[role=dialog]')) {
        typed = NOTHING;
        clearTimeout(timer);
        timer = setTimeout(takeTypedAhead, PATIENCE_MS);
      } else if (typed && !isMod && !event.altKey && (event.key.length === 1 || event.key === 'Enter')) {
        typed = event.key === 'Enter' ? { ...typed, isEntered: true } : { ...typed, text: typed.text + event.key };
        event.preventDefault();
      }
    };
    addEventListener('keydown', onKey, { capture: true });
    return () => removeEventListener('keydown', onKey, { capture: true });
  }, []);
}
