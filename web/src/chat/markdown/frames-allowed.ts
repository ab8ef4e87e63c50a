import { createContext } from 'react';

/** Whether the page may use frames. The page of a shared thread may not. */
export const FramesAllowed = createContext(true);
