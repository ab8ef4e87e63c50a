import { createContext } from 'react';

/** Where the unshown part of an address begins; undefined for an address that is opened without a question. */
export const FindUnshown = createContext<(address: string) => number | undefined>(() => undefined);
