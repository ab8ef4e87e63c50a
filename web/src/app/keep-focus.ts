import { useEffect } from 'react';

/** An element that had the focus, and what follows and precedes its row in a list. */
type Stop = { readonly element: HTMLElement; readonly next: Element | null; readonly previous: Element | null };

const KEPT = 8;

/**
 * Keeps the focus on the page. When the focused element is removed, the focus goes to the next row of its list, or back to where it was
 * before, or to the heading. Dialogs return it by themselves, so this waits until they have.
 */
export function useKeepFocus(): void {
  useEffect(() => {
    const stops: Stop[] = [];
    const isLost = () => document.activeElement === document.body && stops[0]?.element.isConnected === false;
    const onFocus = ({ target }: FocusEvent) => {
      if (!(target instanceof HTMLElement)) return;
      const row = target.closest('li, tr');
      stops.unshift({
        element: target,
        next: row?.nextElementSibling ?? null,
        previous: row?.previousElementSibling ?? null,
      });
      stops.length = Math.min(stops.length, KEPT);
    };
    const observer = new MutationObserver(() => {
      if (isLost()) setTimeout(() => isLost() && findPlace(stops)?.focus(), 0);
    });
    addEventListener('focusin', onFocus);
    observer.observe(document.body, { childList: true, subtree: true });
    return () => {
      removeEventListener('focusin', onFocus);
      observer.disconnect();
    };
  }, []);
}

function findPlace(stops: readonly Stop[]): HTMLElement | null {
  for (const { element, next, previous } of stops)
    for (const place of [element, firstIn(next), firstIn(previous)])
      if (place?.isConnected && place.checkVisibility()) return place;
  const heading = document.querySelector<HTMLElement>('main h1');
  heading?.setAttribute('tabindex', '-1');
  return heading ?? document.getElementById('page');
}

const firstIn = (row: Element | null): HTMLElement | null => row?.querySelector('a[href], button:enabled') ?? null;
