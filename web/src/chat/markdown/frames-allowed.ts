import { createContext } from 'react';

/** Whether the page may use frames. The page of a shared thread must not. */
export const FramesAllowed = createContext(true);
