import { createChoice } from '../../parts/store.ts';

/** What sends a message; the other one breaks the line. */
export type SendKey = 'enter' | 'ctrl-enter';

const chosen = createChoice<SendKey>('reborn.send-key', ['enter', 'ctrl-enter']);

export const chooseSendKey = chosen.choose;
export const useSendKey = chosen.useValue;
