import { useSyncExternalStore } from 'react';

/** A value outside of React. What uses it is rendered again when it is set. */
export function createStore<T>(first: T) {
  let value = first;
  const { changed, useReading } = createSignal();
  return {
    get: () => value,
    set: (next: T) => {
      value = next;
      changed();
    },
    useValue: () => useReading(() => value),
  };
}

/** A choice of the person that this browser keeps. The first one is the usual choice, which is not stored. */
export function createChoice<const T extends string>(key: string, [usual, ...others]: readonly [T, ...T[]]) {
  const { changed, useReading } = createSignal();
  const get = (): T => {
    const stored = readStored(key);
    return others.find((choice) => choice === stored) ?? usual;
  };
  return {
    get,
    choose: (choice: T) => {
      if (choice === usual) localStorage.removeItem(key);
      else localStorage.setItem(key, choice);
      changed();
    },
    useValue: () => useReading(get),
  };
}

/** The page of a shared thread has no storage, nor has a browser that refuses it. */
export function readStored(key: string): string | null {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}

function createSignal() {
  const listeners = new Set<() => void>();
  const listen = (listener: () => void) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  };
  return {
    changed: () => {
      for (const listener of listeners) listener();
    },
    useReading: <T>(read: () => T): T => useSyncExternalStore(listen, read),
  };
}
