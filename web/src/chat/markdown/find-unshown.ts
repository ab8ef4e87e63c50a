import { createContext } from 'react';

/** Where the part of an address begins that nobody has shown; undefined for an address that is opened without a question. */
export const FindUnshown = createContext<(address: string) => number | undefined>(() => undefined);
