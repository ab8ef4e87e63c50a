import { useEffect } from 'react';

let shown = '';
let waiting = 0;

export function useTitle(title: string): void {
  useEffect(() => {
    shown = title;
    write();
  }, [title]);
}

/** Other tabs of the browser show how much waits for the person. */
export function useWaitingInTitle(count: number): void {
  useEffect(() => {
    waiting = count;
    write();
    return () => {
      waiting = 0;
      write();
    };
  }, [count]);
}

function write(): void {
  document.title = `${waiting > 0 ? `(${waiting}) ` : ''}${shown} · Reborn`;
}
