import { useEffect, useEffectEvent, useState } from 'react';

/** Takes files that are dropped on the panel of files, or anywhere else on the page. Says whether some are held over it. */
export function useDroppedFiles(take: (files: Iterable<File>) => void, place: 'page' | 'panel' = 'page'): boolean {
  const [over, setOver] = useState(false);
  const isHere = ({ target }: DragEvent) =>
    (target instanceof Element && target.closest('[data-files]') !== null) === (place === 'panel');
  const onDrag = useEffectEvent((event: DragEvent) => setOver(hasFiles(event) && isHere(event)));
  const onDrop = useEffectEvent((event: DragEvent) => {
    setOver(false);
    if (event.dataTransfer && isHere(event)) take(event.dataTransfer.files);
  });
  useEffect(() => {
    const listening = new AbortController();
    const { signal } = listening;
    addEventListener('dragover', onDrag, { signal });
    addEventListener('dragleave', (event) => event.relatedTarget === null && setOver(false), { signal });
    addEventListener('drop', onDrop, { signal });
    return () => listening.abort();
  }, []);
  return over;
}

/** A browser opens a dropped file in place of the app, unless the app takes it. */
export function useNoFileNavigation(): void {
  useEffect(() => {
    const listening = new AbortController();
    const keep = (event: DragEvent) => hasFiles(event) && event.preventDefault();
    for (const type of ['dragover', 'drop'] as const) addEventListener(type, keep, { signal: listening.signal });
    return () => listening.abort();
  }, []);
}

const hasFiles = (event: DragEvent): boolean => event.dataTransfer?.types.includes('Files') ?? false;
